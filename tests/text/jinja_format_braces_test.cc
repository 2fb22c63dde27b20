#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaFormatBraces, FieldsAreFoundByPlaceNameAndPath) {
  EXPECT_EQ(render("{{ '{} {}'.format(1, 'a') }} {{ '{1}{0}{k}'.format('a', 'b', k=3) }} {{ "
                   "'{0[a]}{0.b}'.format({'a': 1, 'b': 2}) }}"),
            "1 a ba3 12");
}

TEST(JinjaFormatBraces, FormatsFollowPython) {
  EXPECT_EQ(
      render("{{ '{:>4}|{:<4}|{:^4}|{:*^5}|{:05d}|{:+d}|{:,}|{:.2f}|{:x}|{!r}|{{}}'.format('a', "
             "'b', 'c', 'd', 42, 1, 1234567, 2.345, 255, 'q') }}"),
      "   a|b   | c  |**d**|00042|+1|1,234,567|2.35|ff|'q'|{}");
}

TEST(JinjaFormatBraces, ADictNamesTheFieldsOfFormatMap) {  // expected texts are jinja2's
  EXPECT_EQ(render("{{ '{a}-{b:>3}'.format_map({'a': 1, 'b': 'x', 7: 8}) }}"), "1-  x");
  EXPECT_EQ(marked("{{ '<{a}>'.format_map({'a': u}) }}", R"({"u": "x"})"), "<«x»>");
  for (const char* source : {"{{ '{0}'.format_map({'a': 1}) }}", "{{ '{a}'.format_map({}) }}",
                             "{{ '{a}'.format_map([1]) }}", "{{ 'x'.format_map() }}"}) {
    EXPECT_NE(error_of(source), "") << source;
  }
}

TEST(JinjaFormatBraces, WhatWeDoNotHaveIsAnError) {
  for (const char* source :
       {"{{ '{'.format() }}", "{{ '}'.format() }}", "{{ '{}'.format() }}", "{{ '{a}'.format() }}",
        "{{ '{:{}}'.format(1, 2) }}", "{{ '{:d}'.format('a') }}", "{{ '{!z}'.format(1) }}",
        "{{ '{:999999999}'.format(1) }}", "{{ '{0[a'.format(1) }}"}) {
    EXPECT_NE(error_of(source), "") << source;
  }
}

TEST(JinjaFormatBraces, EachPartKeepsItsAuthor) {
  EXPECT_EQ(marked("{{ '<{}|{:>3}>'.format(u, u) }}", R"({"u": "x"})"), "<«x»|  «x»>");
  EXPECT_EQ(marked("{{ u.format('y') }}", R"({"u": "<{}>"})"), "«<»y«>»");
}

}  // namespace
}  // namespace colonnade::text::jinja
