#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaMacro, DefaultsMaySeeEarlierParametersAndKeywordsComeInAnyOrder) {
  EXPECT_EQ(
      render("{% macro m(a, b=a ~ '!') %}{{ a }}{{ b }};{% endmacro %}{{ m(1) }}{{ m(b=2, a=3) }}"),
      "11!;32;");
}

TEST(JinjaMacro, WhatAMacroDoesNotTakeIsRefused) {
  EXPECT_EQ(error_of("{% macro m(a) %}{% endmacro %}{{ m(z=1) }}"),
            "test: line 1, column 34: macro 'm' takes no keyword argument 'z'");
  EXPECT_EQ(error_of("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}"),
            "test: line 1, column 34: macro 'm' takes not more than 1 arguments");
}

TEST(JinjaMacro, MacrosSeeNamesThatAreSetAfterThem) {
  EXPECT_EQ(render("{% macro m() %}{{ z }}{% endmacro %}{% set z = 5 %}{{ m() }}"), "5");
}

TEST(JinjaMacro, AMacroOfOneIterationKeepsItsNames) {
  EXPECT_EQ(
      render(
          "{% set ns = namespace(f=[]) %}{% for i in [1, 2] %}{% macro m() %}{{ i }}{% endmacro %}"
          "{% set ns.f = ns.f + [m] %}{% endfor %}{{ ns.f[0]() }}{{ ns.f[1]() }}"),
      "12");
}

TEST(JinjaMacro, CallBlocksPassTheirBodyAsCaller) {
  EXPECT_EQ(render("{% macro m(x) %}[{{ caller(x) }}]{% endmacro %}{% call(y) m(3) %}{{ y + 1 }}{% "
                   "endcall %}"),
            "[4]");
}

}  // namespace
}  // namespace colonnade::text::jinja
