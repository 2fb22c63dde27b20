#include "colonnade/text/nfc.h"

#include "tests/text/tokenizer_golden.h"
#include <gtest/gtest.h>

namespace colonnade::text {
namespace {

#include "tests/text/unicode_golden.inc"

uint64_t add_text(uint64_t digest, const std::string& text) {
  for (const char byte : text) digest = test::fnv1a(digest, static_cast<uint8_t>(byte), 1);
  return test::fnv1a(digest, 0, 1);
}

// Calls f with every code point, alone and where it composes with or changes places with a
// neighbour.
template <typename F>
void for_each_text(const F& f) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string s;
    append_utf8(&s, c);
    f(s);
    f("e" + s);
    f(s + "\xCC\x81");               // U+0301, composes with many
    f("\xCD\x85" + s + "\xCC\xB4");  // U+0345 has the highest class, U+0334 the lowest
  }
}

TEST(Nfc, EveryCodePointNormalizesAsInTheReference) {
  uint64_t digest = test::kFnvStart;
  for_each_text([&](const std::string& s) { digest = add_text(digest, to_nfc(s)); });
  EXPECT_EQ(digest, kNfcDigest);
}

TEST(Nfc, WhatIsSurelyNormalDoesNotChange) {
  int64_t sure = 0;
  for_each_text([&](const std::string& s) {
    if (!is_surely_nfc(s)) return;
    ++sure;
    ASSERT_EQ(to_nfc(s), s);
  });
  EXPECT_GT(sure, 2'200'000);  // nearly all code points, alone and behind a letter
}

TEST(Nfc, SyllablesAreComposedOfTheirLetters) {
  EXPECT_EQ(to_nfc("\u1112\u1161\u11AB"), "\uD55C");
  EXPECT_EQ(to_nfc("\uD558\u11AB"), "\uD55C");
  EXPECT_EQ(to_nfc("\uD55C\u11AB"), "\uD55C\u11AB");
}

TEST(Nfc, AMarkBehindOneOfItsClassIsBlocked) {
  EXPECT_EQ(to_nfc("a\u0308\u0301"), "\u00E4\u0301");
  EXPECT_EQ(to_nfc("e\u0301\u0323"), "\u1EB9\u0301");
  EXPECT_EQ(to_nfc("a\u0334\u0334\u0301"), "\u00E1\u0334\u0334");
}

TEST(Nfc, AMegabyteOfMarksOutOfOrderTakesNoTimeToSpeakOf) {
  std::string text = "a";
  for (int i = 0; i < 250'000; ++i) text += "\u0345\u0334";
  const std::string normal = to_nfc(text);
  EXPECT_EQ(normal.size(), text.size());
  EXPECT_EQ(normal.substr(0, 5), "a\u0334\u0334");
}

}  // namespace
}  // namespace colonnade::text
