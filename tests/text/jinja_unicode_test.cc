#include "colonnade/text/jinja_unicode.h"

#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaUnicode, StrayBytesAreOneCharacterEachAndSurvive) {
  const std::string text = "a\x80\xC3(\xE2\x82\xAC\xF0\x9F";
  EXPECT_EQ(count_chars(text), 7);  // a, 80, C3, (, euro, F0, 9F
  std::string copy;
  for (size_t pos = 0; pos < text.size();) append_char(copy, next_char(text, pos));
  EXPECT_EQ(copy, text);
}

TEST(JinjaUnicode, WalkingBackVisitsTheSameCharactersAsWalkingForth) {
  const std::string text = "a\x80\xC3(\xE2\x82\xAC\xF0\x9F\x91\x8B\xF0\x9F";
  std::vector<size_t> forth, back;
  for (size_t pos = 0; pos < text.size(); next_char(text, pos)) forth.push_back(pos);
  for (size_t end = text.size(); end > 0; end = back.front())
    back.insert(back.begin(), prev_char(text, end));
  EXPECT_EQ(back, forth);
}

TEST(JinjaUnicode, SurrogatesAndOverlongFormsAreStrayBytes) {
  EXPECT_EQ(count_chars("\xED\xA0\x80"), 3);
  EXPECT_EQ(count_chars("\xC0\x80"), 2);
  EXPECT_EQ(count_chars("\xF4\x90\x80\x80"), 4);
}

TEST(JinjaUnicode, CaseMappingKnowsLettersThatBecomeSeveral) {
  EXPECT_EQ(to_upper(U'\u00DF'), "SS");
  EXPECT_EQ(to_title(U'\u01C6'), "\u01C5");
  EXPECT_EQ(to_lower(U'\u0130'), "i\u0307");
  EXPECT_EQ(to_upper(U'\u0101'), "\u0100");
  EXPECT_EQ(to_lower(U'\u0100'), "\u0101");
  EXPECT_EQ(to_upper(U'!'), "!");
}

TEST(JinjaUnicode, ClassesFollowPython) {
  EXPECT_TRUE(is_space(U'\u00A0'));
  EXPECT_TRUE(is_space(U'\x1F'));
  EXPECT_FALSE(is_space(U'\u200B'));
  EXPECT_TRUE(is_alpha(U'\u4E2D'));
  EXPECT_TRUE(is_digit(U'\u00B2'));
  EXPECT_FALSE(is_decimal(U'\u00B2'));
  EXPECT_TRUE(is_numeric(U'\u00BD'));
  EXPECT_FALSE(is_printable(U'\u00AD'));
  EXPECT_TRUE(is_title(U'\u01C5'));
}

}  // namespace
}  // namespace colonnade::text::jinja
