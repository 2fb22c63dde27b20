#include "colonnade/text/pieces.h"

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade::text {
namespace {

Vocabulary vocabulary(std::vector<std::string> tokens, std::vector<int32_t> types) {
  Vocabulary v;
  v.tokens = std::move(tokens);
  v.token_types = std::move(types);
  return v;
}

TEST(Pieces, ByteLevelSpellingsBecomeBytes) {
  const Pieces pieces(
      vocabulary({"\u0120a", "\u00F0\u0141", "<|x|>", "a b", "\u0120", "odd \u0120"},
                 {1, 1, 3, 4, 5, 1}),
      Spelling::byte_level);
  EXPECT_EQ(pieces.size(), 6);
  EXPECT_EQ(pieces.bytes(0), " a");
  EXPECT_EQ(pieces.bytes(1), "\xF0\x9F");
  EXPECT_EQ(pieces.bytes(2), "<|x|>");
  EXPECT_EQ(pieces.bytes(3), "a b");
  EXPECT_EQ(pieces.bytes(4), "\u0120");      // unused: its own text
  EXPECT_EQ(pieces.bytes(5), "odd \u0120");  // not of the alphabet: its own text
}

TEST(Pieces, MetaspaceSpellingsBecomeSpacesAndBytes) {
  const Pieces pieces(vocabulary({"\u2581in\u2581the", "<0x0A>", "<0x0A>", "<s>"}, {1, 6, 1, 3}),
                      Spelling::metaspace);
  EXPECT_EQ(pieces.bytes(0), " in the");
  EXPECT_EQ(pieces.bytes(1), "\n");
  EXPECT_EQ(pieces.bytes(2), "<0x0A>");  // a normal token that looks like one
  EXPECT_EQ(pieces.bytes(3), "<s>");
}

TEST(Pieces, AsWrittenNothingIsReplaced) {
  const Pieces pieces(vocabulary({"\u2581in", "<0x0A>", "\u0120"}, {1, 6, 1}),
                      Spelling::as_written);
  EXPECT_EQ(pieces.bytes(0), "\u2581in");
  EXPECT_EQ(pieces.bytes(1), "<0x0A>");
  EXPECT_EQ(pieces.bytes(2), "\u0120");
  EXPECT_EQ(with_metaspaces(" in the"), "\u2581in\u2581the");
}

TEST(Pieces, WhatTheByteAlphabetCannotSpellIsKnown) {
  const Pieces pieces(vocabulary({"\u0120a", "a b", "<|x |>"}, {1, 1, 3}), Spelling::byte_level);
  EXPECT_TRUE(pieces.is_spelled(0));
  EXPECT_FALSE(pieces.is_spelled(1));
  EXPECT_TRUE(pieces.is_spelled(2));
}

TEST(Pieces, ControlAndUnknownTokensAreNoPartOfTheText) {
  const Pieces pieces(vocabulary({"a", "b", "c", "d", "e"}, {1, 2, 3, 4, 5}), Spelling::byte_level);
  const bool expected[] = {false, true, true, false, false};
  for (int32_t id = 0; id < 5; ++id) EXPECT_EQ(pieces.is_control(id), expected[id]) << id;
}

TEST(Pieces, WhatIsNotATokenIsRefused) {
  const Pieces pieces(vocabulary({"a"}, {}), Spelling::byte_level);
  EXPECT_THROW(pieces.bytes(1), Error);
  EXPECT_THROW(pieces.bytes(-1), Error);
  EXPECT_THROW(pieces.is_control(1), Error);
  for (const char* bad : {"<0xG0>", "<0x0>", "x", "<0x0AA>", "<0x-1>"}) {
    EXPECT_THROW(Pieces(vocabulary({bad}, {6}), Spelling::metaspace), Error) << bad;
  }
}

TEST(Pieces, OfTokensAloneAreTheirTexts) {
  const std::vector<std::string> tokens = {"a", "", "\u2581b", "<0x41>"};
  const Pieces pieces(tokens);
  EXPECT_EQ(pieces.size(), 4);
  EXPECT_EQ(pieces.spelling(), Spelling::as_written);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    EXPECT_EQ(pieces.bytes(id), tokens[i]);
    EXPECT_FALSE(pieces.is_control(id));
    EXPECT_TRUE(pieces.is_spelled(id));
  }
}

}  // namespace
}  // namespace colonnade::text
