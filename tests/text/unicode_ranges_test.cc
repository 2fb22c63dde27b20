#include "colonnade/text/unicode_ranges.h"

#include "tests/text/tokenizer_golden.h"
#include <gtest/gtest.h>

namespace colonnade::text {
namespace {

#include "tests/text/unicode_golden.inc"

TEST(UnicodeRanges, EveryCodePointHasTheClassesOfTheReference) {
  uint64_t digest = test::kFnvStart;
  int letters = 0, numbers = 0, spaces = 0, digits = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const uint8_t flags = character_flags(c);
    letters += (flags & kLetter) != 0;
    numbers += (flags & kNumber) != 0;
    spaces += (flags & kSpace) != 0;
    digits += (flags & kDigit) != 0;
    digest = test::fnv1a(digest, flags, 1);
  }
  EXPECT_EQ(letters, kLetters);
  EXPECT_EQ(numbers, kNumbers);
  EXPECT_EQ(spaces, kSpaces);
  EXPECT_EQ(digits, kDigits);
  EXPECT_EQ(digest, kFlagsDigest);
}

TEST(UnicodeRanges, EveryNumberIsADigit) {  // the SmolLM2 pattern counts on it
  for (char32_t c = 0; c < 0x110000; ++c) {
    const uint8_t flags = character_flags(c);
    EXPECT_TRUE(!(flags & kNumber) || (flags & kDigit)) << std::hex << static_cast<uint32_t>(c);
  }
}

TEST(UnicodeRanges, NoLetterIsASpaceOrANumber) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (character_flags(c) & kLetter) {
      EXPECT_FALSE(character_flags(c) & (kSpace | kNumber | kDigit))
          << std::hex << static_cast<uint32_t>(c);
    }
  }
}

}  // namespace
}  // namespace colonnade::text
