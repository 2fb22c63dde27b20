#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaBuiltins, ArgumentsAreMatchedByPlaceAndByName) {
  EXPECT_EQ(
      render("{{ 'aaa'|replace('a', 'b', 1) }}{{ 'aaa'|replace(new='b', old='a', count=2) }}"),
      "baabba");
}

TEST(JinjaBuiltins, WhatFitsNoParameterIsRefused) {
  EXPECT_EQ(error_of("{{ 'a'|upper(1) }}"),
            "test: line 1, column 8: upper takes at most 0 arguments, got 1");
  EXPECT_EQ(error_of("{{ 'a'|trim(nope=1) }}"),
            "test: line 1, column 8: trim has no parameter 'nope'");
  EXPECT_EQ(error_of("{{ 'a'|replace('b') }}"),
            "test: line 1, column 8: replace needs its argument 'new'");
  EXPECT_EQ(error_of("{{ 'a'|replace('a', 'b', old='c') }}"),
            "test: line 1, column 8: replace got two values for parameter 'old'");
  EXPECT_EQ(error_of("{{ 'a'|center('x') }}"),
            "test: line 1, column 8: center: expected an integer, got str");
}

TEST(JinjaBuiltins, TablesAreSearchedByExactName) {
  EXPECT_NE(find_filter("tojson"), nullptr);
  EXPECT_EQ(find_filter("ToJson"), nullptr);
  EXPECT_EQ(find_filter(""), nullptr);
  EXPECT_NE(find_test("defined"), nullptr);
  EXPECT_EQ(find_test("upper case"), nullptr);
}

}  // namespace
}  // namespace colonnade::text::jinja
