#include "colonnade/text/jinja_strings.h"

#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

Text text(std::string_view chars) { return Text(chars, true); }

std::string shown(const std::vector<Text>& parts) {
  std::string out;
  for (const Text& part : parts) out += "[" + part.chars() + "]";
  return out;
}

TEST(JinjaStrings, SplittingFollowsPython) {
  Runtime rt(test_options());
  const Text comma = text(",");
  EXPECT_EQ(shown(split(rt, text("a,,b"), &comma, -1)), "[a][][b]");
  EXPECT_EQ(shown(split(rt, text("a,b,c"), &comma, 1)), "[a][b,c]");
  EXPECT_EQ(shown(split(rt, text("  a b  c "), nullptr, -1)), "[a][b][c]");
  EXPECT_EQ(shown(split(rt, text("  a b  c "), nullptr, 1)), "[a][b  c ]");
  EXPECT_EQ(shown(split(rt, text(""), &comma, -1)), "[]");
  EXPECT_EQ(shown(split(rt, text(""), nullptr, -1)), "");
  EXPECT_EQ(shown(split_right(rt, text("a,b,c"), &comma, 1)), "[a,b][c]");
  EXPECT_EQ(shown(split_right(rt, text(" a b  c "), nullptr, 1)), "[ a b][c]");
  EXPECT_EQ(shown(split_lines(rt, text("a\r\nb\rc\n\n"), false)), "[a][b][c][]");
}

TEST(JinjaStrings, StripTakesASetOfCharacters) {
  const Text chars = text("x\u00e9");
  EXPECT_EQ(strip(text("x\u00e9ax"), &chars, Side::both).chars(), "a");
  EXPECT_EQ(strip(text("xax"), &chars, Side::left).chars(), "ax");
  EXPECT_EQ(strip(text("\u00a0a "), nullptr, Side::right).chars(), "\u00a0a");
  EXPECT_EQ(strip(text("   "), nullptr, Side::both).chars(), "");
}

TEST(JinjaStrings, ReplaceWithAnEmptyPatternMatchesBetweenCharacters) {
  Runtime rt(test_options());
  EXPECT_EQ(replace(rt, text("\u00e9b"), text(""), text("-"), -1).chars(), "-\u00e9-b-");
  EXPECT_EQ(replace(rt, text("\u00e9b"), text(""), text("-"), 2).chars(), "-\u00e9-b");
}

TEST(JinjaStrings, PaddingCentersAsPythonDoes) {
  Runtime rt(test_options());
  EXPECT_EQ(pad(rt, text("ab"), 5, text("*"), Align::center).chars(), "**ab*");
  EXPECT_EQ(pad(rt, text("abc"), 6, text("*"), Align::center).chars(), "*abc**");
  EXPECT_THROW(pad(rt, text("a"), 5, text("--"), Align::left), TemplateError);
}

TEST(JinjaStrings, SigmaAtTheEndOfAWordIsWrittenDifferently) {
  Runtime rt(test_options());
  EXPECT_EQ(lower(rt, text("\u0391\u03A3")).chars(), "\u03B1\u03C2");
  EXPECT_EQ(lower(rt, text("\u03A3\u0391")).chars(), "\u03C3\u03B1");
}

}  // namespace
}  // namespace colonnade::text::jinja
