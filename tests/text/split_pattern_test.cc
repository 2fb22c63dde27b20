#include "colonnade/text/split_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

// "begin-end" of every match, in characters.
std::string matches(std::string_view regex, std::string_view text) {
  const SplitPattern pattern(regex);
  const std::string classes = pattern.classes(text);
  SearchTime time(classes.size());
  SplitSearch search(pattern, time);
  std::string out;
  for (SplitPattern::Match m{}; search.next(classes, m.end, &m);) {
    if (!out.empty()) out += ' ';
    out += std::to_string(m.begin) + '-' + std::to_string(m.end);
  }
  return out;
}

TEST(SplitPattern, MatchesAreFoundFromLeftToRight) {
  EXPECT_EQ(matches("a+", "xaaya"), "1-3 4-5");
  EXPECT_EQ(matches("ab|a", "abaab"), "0-2 2-3 3-5");
  EXPECT_EQ(matches("a", ""), "");
  EXPECT_EQ(matches("a(?!b)", "aba"), "2-3");
  EXPECT_EQ(matches("(?<=a)b", "bab"), "2-3");
}

TEST(SplitPattern, EmptyMatchesAreLeftOut) {
  EXPECT_EQ(matches("a*", "baab"), "1-3");
  EXPECT_EQ(matches("", "ab"), "");
}

TEST(SplitPattern, CharactersOutsideAsciiAreOneEach) {
  EXPECT_EQ(matches("\\p{L}+", "\u00E9t\u00E9 \u4E2D\u6587\u3002"), "0-3 4-6");
  EXPECT_EQ(matches("[\u4E00-\u9FA5]", "a\u4DFF\u4E00\u9FA5\u9FA6"), "2-3 3-4");
  EXPECT_EQ(matches("\u00E9", "e\u00E9\u00EA"), "1-2");
  EXPECT_EQ(matches("[^\\s\\p{L}]", "a\u3000\U0001F600"), "2-3");
  EXPECT_EQ(matches("\\p{Lu}\\p{Ll}", "\u00C9\u00E9\u0416\u0436"), "0-2 2-4");
  EXPECT_EQ(matches("[^\\x{0}-\\x{10FFFF}]|b", "ab"), "1-2");
}

TEST(SplitPattern, WhatPcre2RefusesIsAnError) {
  EXPECT_THROW(SplitPattern("(?<=a+)b"), Error);  // look-behind without a fixed length
}

TEST(SplitPattern, MoreClassesThanFitAreAnError) {
  std::string many;
  for (char32_t c = 0x100; c < 0x100 + 70; ++c) {
    many += '[';
    append_utf8(&many, c);
    append_utf8(&many, c + 200);
    many += ']';
  }
  try {
    SplitPattern pattern(many);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("at most 64 classes of characters, got 70"));
  }
}

TEST(SplitPattern, AnExpressionThatExplodesIsStopped) {
  const SplitPattern pattern("(?:[ab]|[ab])*[cd]");
  SearchTime time(60);
  SplitPattern::Match match{};
  try {
    SplitSearch(pattern, time).next(std::string(60, 'a'), 0, &match);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("of a text of 60"));
  }
}

}  // namespace
}  // namespace colonnade::text
