#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaPostfix, UnknownFiltersAndTestsAreFoundBeforeRendering) {
  EXPECT_EQ(error_of("{% if false %}{{ 1|nope }}{% endif %}"),
            "test: line 1, column 20: no filter named 'nope'");
  EXPECT_EQ(error_of("{{ 1 is nope }}"), "test: line 1, column 9: no test named 'nope'");
  EXPECT_EQ(error_of("{{ []|map('nope') }}"), "test: line 1, column 11: no filter named 'nope'");
  EXPECT_EQ(error_of("{{ []|selectattr('x', 'nope') }}"),
            "test: line 1, column 23: no test named 'nope'");
}

TEST(JinjaPostfix, TestsTakeOneArgumentWithoutParentheses) {
  EXPECT_EQ(render("{{ 6 is divisibleby 3 and 1 is odd }}"), "True");
  EXPECT_NE(error_of("{{ 1 is odd is even }}"), "");
}

TEST(JinjaPostfix, FiltersBindTighterThanOperatorsAndUnaryMinus) {
  EXPECT_EQ(render("{{ 1 + '2'|int }}"), "3");
  EXPECT_EQ(render("{{ -3|abs }}"), "3");
}

TEST(JinjaPostfix, ArgumentsComeInPythonsOrder) {
  EXPECT_NE(error_of("{{ f(a=1, 2) }}"), "");
  EXPECT_NE(error_of("{{ f(**a, b=1) }}"), "");
  EXPECT_EQ(render("{% macro m(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m(*[1], **{'b': 2}) }}"),
            "12");
}

TEST(JinjaPostfix, OnlyNamesCanBeAssigned) {
  EXPECT_EQ(error_of("{% set 1 = 2 %}"),
            "test: line 1, column 8: cannot assign to this: expected a name");
  EXPECT_NE(error_of("{% set true = 2 %}"), "");
  EXPECT_EQ(render("{% set (a, b), c = (1, 2), 3 %}{{ a }}{{ b }}{{ c }}"), "123");
}

}  // namespace
}  // namespace colonnade::text::jinja
