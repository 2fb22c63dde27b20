#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaExpressions, PrecedenceIsJinjas) {
  EXPECT_EQ(render("{{ 1 + 2 * 3 ** 2 }}"), "19");
  EXPECT_EQ(render("{{ -2 ** 2 }}"), "4");
  EXPECT_NE(error_of("{{ 1 ~ 2 + 3 }}"), "");  // (1 ~ 2) + 3: a string plus a number
  EXPECT_EQ(render("{{ not 1 == 2 }}"), "True");
  EXPECT_EQ(render("{{ 1 if 0 else 2 if 0 else 3 }}"), "3");
}

TEST(JinjaExpressions, LongChainsAndDeepNestingAreRefusedWithoutRecursingForever) {
  std::string chain = "{{ 1";
  for (int i = 0; i < 100000; ++i) chain += " + 1";
  EXPECT_NE(error_of(chain + " }}").find("nests deeper than"), std::string::npos);
  const std::string open(100000, '(');
  EXPECT_NE(
      error_of("{{ " + open + "1" + std::string(100000, ')') + " }}").find("nest deeper than"),
      std::string::npos);
  std::string nots = "{{ ";
  for (int i = 0; i < 100000; ++i) nots += "not ";
  EXPECT_NE(error_of(nots + "1 }}").find("nest deeper than"), std::string::npos);
  EXPECT_NE(error_of("{{ 1" + std::string(100000, '-') + "1 }}").find("nest deeper than"),
            std::string::npos);
}

TEST(JinjaExpressions, NumbersBeyond64BitsAreRefused) {
  EXPECT_EQ(error_of("{{ 99999999999999999999 }}"),
            "test: line 1, column 4: the number 99999999999999999999 is too large");
}

TEST(JinjaExpressions, UnexpectedTokensAreDescribed) {
  EXPECT_EQ(error_of("{{ 1 + }}"), "test: line 1, column 8: expected an expression, got '}}'");
  EXPECT_EQ(error_of("{{ a b }}"), "test: line 1, column 6: expected '}}', got 'b'");
}

}  // namespace
}  // namespace colonnade::text::jinja
