#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaGlobals, RangesAreBounded) {
  EXPECT_EQ(render("{{ range(2, 8, 3)|list }}{{ range(3, 0, -1)|list }}{{ range(0)|list }}"),
            "[2, 5][3, 2, 1][]");
  EXPECT_NE(error_of("{{ range(100001) }}"), "");
  EXPECT_NE(error_of("{{ range(-9223372036854775807, 9223372036854775807) }}"), "");
  EXPECT_NE(error_of("{{ range(1, 2, 0) }}"), "");
}

TEST(JinjaGlobals, RaisedExceptionsCarryTheTemplatesWords) {
  try {
    render("a\n{{ raise_exception('Roles must ' ~ 'alternate') }}");
    FAIL() << "no error";
  } catch (const TemplateError& error) {
    EXPECT_EQ(error.kind(), TemplateError::Kind::refused);
    EXPECT_EQ(error.words(), "Roles must alternate");
    EXPECT_EQ(error.where().line, 2);
  }
}

TEST(JinjaGlobals, TheTimeIsTheOneGiven) {
  RuntimeOptions options = test_options();
  options.now.emplace();
  options.now->tm_year = 126;
  options.now->tm_mon = 1;
  options.now->tm_mday = 3;
  EXPECT_EQ(
      render_text("{{ strftime_now('%d %b %Y') }}{{ strftime_now('%') }}", "{}", options).chars(),
      "03 Feb 2026%");
}

TEST(JinjaGlobals, TheCallersTimeFormatStaysTheCallers) {
  RuntimeOptions options = test_options();
  options.now.emplace();
  options.now->tm_mday = 3;
  const auto spans =
      render_text("{{ strftime_now('%d' ~ u) }}", R"({"u": "<|%d|>"})", options).spans();
  EXPECT_EQ(spans, (std::vector<TextSpan>{{"03", true}, {"<|03|>", false}}));
}

TEST(JinjaGlobals, HelpersKeepState) {
  EXPECT_EQ(render("{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{% "
                   "set j = joiner('-') %}{{ j() }}{{ j() }}"),
            "aba-");
  EXPECT_EQ(render("{{ dict([('a', 1)], b=2) }}{{ namespace(x=3).x }}"), "{'a': 1, 'b': 2}3");
}

}  // namespace
}  // namespace colonnade::text::jinja
