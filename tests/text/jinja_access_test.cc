#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaAccess, SlicesCountCharactersNotBytes) {
  EXPECT_EQ(render("{{ s[1:3] }}|{{ s[::-1] }}|{{ s[-1] }}", R"({"s": "a\u00e9\u4e2db"})"),
            "\u00e9\u4e2d|b\u4e2d\u00e9a|b");
}

TEST(JinjaAccess, ExtremeSlicesAreSafe) {
  EXPECT_EQ(render("{{ 'abc'[-9223372036854775807:9223372036854775807:9223372036854775807] }}"),
            "a");
  EXPECT_EQ(render("{{ [1, 2, 3][::-9223372036854775807] }}{{ 'abc'[5:1] }}"), "[3]");
  EXPECT_NE(error_of("{{ 'abc'[::0] }}"), "");
}

TEST(JinjaAccess, AttributesPreferMethodsAndSubscriptsPreferItems) {
  const char* json = R"({"d": {"items": "shadow", "x": 1}})";
  EXPECT_EQ(render("{{ d['items'] }}{{ d.items()|length }}{{ d.x }}", json), "shadow21");
}

TEST(JinjaAccess, MissingItemsAreUndefinedAndUsingThemSaysWhy) {
  EXPECT_EQ(render("{{ [1][5] is defined }}{{ {}.a is defined }}{{ none.x is defined }}"),
            "FalseFalseFalse");
  EXPECT_EQ(error_of("{{ {}.a + 1 }}"),
            "test: line 1, column 9: 'dict object' has no attribute 'a'");
  EXPECT_NE(error_of("{{ {}.a.b }}"), "");
}

TEST(JinjaAccess, SlicesOfCallersTextStayTheCallers) {
  EXPECT_EQ(marked("{{ ('ab' ~ u)[1:3] }}{{ u[::-1] }}{{ u[0] }}", R"({"u": "xy"})"), "b«xyxx»");
}

TEST(JinjaAccess, LengthsOfIteratorsAreUnknown) {
  EXPECT_NE(error_of("{{ ([1]|map('string'))|length }}"), "");
}

}  // namespace
}  // namespace colonnade::text::jinja
