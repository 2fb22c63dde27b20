#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaMethods, WhatPythonHasAndWeDoNotIsAnErrorNotUndefined) {
  EXPECT_EQ(error_of("{{ 'x'.encode() }}"),
            "test: line 1, column 8: the method 'encode' of str is not supported");
  EXPECT_EQ(render("{{ 'x'.nonsense is defined }}"), "False");
}

TEST(JinjaMethods, LoopKnowsWhereItIs) {
  EXPECT_EQ(
      render("{% for i in 'ab' %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ "
             "loop.revindex0 }}{{ loop.first }}"
             "{{ loop.last }}{{ loop.length }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}"),
      "1021TrueFalse2b;2110FalseTrue2a;");
}

TEST(JinjaMethods, MacrosShowTheirSignature) {
  EXPECT_EQ(render("{% macro m(a, b) %}{% endmacro %}{{ m.name }}{{ m.arguments }}"),
            "m('a', 'b')");
}

TEST(JinjaMethods, MethodsAreValues) {
  EXPECT_EQ(render("{% set f = 'abc'.upper %}{{ f() }}"), "ABC");
}

}  // namespace
}  // namespace colonnade::text::jinja
