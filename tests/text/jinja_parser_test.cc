#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaParser, AnOpenBlockIsNamedWhereItStarts) {
  EXPECT_EQ(error_of("a\n{% if x %}b"),
            "test: line 2, column 11: the block that starts here has no end: expected {% endif %}");
}

TEST(JinjaParser, StatementsOfLargerTemplateSystemsAreRefusedByName) {
  EXPECT_EQ(error_of("{% include 'x' %}"),
            "test: line 1, column 4: the statement 'include' is not supported in chat templates");
  EXPECT_EQ(error_of("\n{% frobnicate %}"),
            "test: line 2, column 4: unknown statement 'frobnicate'");
}

TEST(JinjaParser, BreakNeedsALoopAroundItNotAroundItsMacro) {
  EXPECT_EQ(error_of("{% break %}"), "test: line 1, column 4: 'break' outside a loop");
  EXPECT_NE(error_of("{% for i in [1] %}{% macro m() %}{% break %}{% endmacro %}{% endfor %}"), "");
  EXPECT_EQ(render("{% for i in [1, 2] %}{{ i }}{% break %}{% endfor %}"), "1");
}

TEST(JinjaParser, NestingIsBounded) {
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "{% if 1 %}";
  EXPECT_NE(error_of(deep).find("nest deeper than"), std::string::npos);
}

TEST(JinjaParser, MacrosKnowWhichSpecialNamesTheyUse) {
  EXPECT_EQ(render("{% macro m() %}{{ varargs|length }}{% endmacro %}{{ m(1, 2) }}"), "2");
  EXPECT_NE(error_of("{% macro m() %}{% endmacro %}{{ m(1, 2) }}"), "");
}

}  // namespace
}  // namespace colonnade::text::jinja
