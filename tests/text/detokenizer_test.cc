#include "colonnade/text/detokenizer.h"

#include "tests/text/tokenizer_golden.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

constexpr const char* kReplacement = "\uFFFD";

// A SentencePiece vocabulary: 256 byte tokens, then `words`, then the control token <s>.
struct Metaspace {
  explicit Metaspace(const std::vector<std::string>& words) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    Vocabulary v;
    for (int b = 0; b < 256; ++b) {
      v.tokens.push_back(std::string("<0x") + kHex[b >> 4] + kHex[b & 15] + ">");
      v.token_types.push_back(6);
    }
    for (const std::string& word : words) v.tokens.push_back(word);
    v.token_types.resize(v.tokens.size(), 1);
    v.tokens.push_back("<s>");
    v.token_types.push_back(3);
    pieces = std::make_unique<Pieces>(v, Spelling::metaspace);
  }
  int32_t word(int32_t i) const { return 256 + i; }
  int32_t control() const { return static_cast<int32_t>(pieces->size()) - 1; }
  std::unique_ptr<Pieces> pieces;
};

// The pieces of text that come out, one per token; each must be valid UTF-8.
std::vector<std::string> stream(const Pieces& pieces, const std::vector<int32_t>& ids) {
  StreamDecoder decoder(pieces, ControlText::skip, FirstSpace::strip);
  std::vector<std::string> deltas;
  for (const int32_t id : ids) {
    deltas.push_back(decoder.push(id));
    EXPECT_EQ(first_invalid_utf8(deltas.back()), -1);
  }
  return deltas;
}

std::string joined(const std::vector<std::string>& deltas) {
  std::string text;
  for (const std::string& delta : deltas) text += delta;
  return text;
}

TEST(StreamDecoder, BytePiecesAndMetaspacePiecesGiveTheirText) {  // case A4
  const Metaspace v(
      {"foo", "\u2581in\u2581the", "\u2581house", "\u2581", "\u2581leading", "\u2581x"});
  const struct {
    std::vector<int32_t> ids;
    std::string text;
  } cases[] = {
      {{0x0A, v.word(0)}, "\nfoo"},
      {{0xEA, 0xB9, 0xB0}, "\uAE70"},
      {{v.word(1), v.word(2)}, "in the house"},
      {{v.word(3), v.word(4), v.word(5)}, " leading x"},
      {{v.control(), v.word(1), v.control(), v.word(2)}, "in the house"},
  };
  for (const auto& c : cases) EXPECT_EQ(joined(stream(*v.pieces, c.ids)), c.text);
}

TEST(StreamDecoder, TheFirstSpaceStaysWhereItIsPartOfTheText) {
  const Metaspace v({"\u2581a"});
  StreamDecoder keeping(*v.pieces);
  EXPECT_EQ(keeping.push(v.word(0)), " a");
  StreamDecoder stripping(*v.pieces, ControlText::skip, FirstSpace::strip);
  EXPECT_EQ(stripping.push(v.word(0)), "a");
  EXPECT_EQ(stripping.push(v.word(0)), " a");
  stripping.finish();
  EXPECT_EQ(stripping.push(v.word(0)), "a");
}

TEST(StreamDecoder, ACharacterComesWithItsLastByte) {  // case A5
  const Metaspace v({"\u2581", "a"});
  using Deltas = std::vector<std::string>;
  EXPECT_EQ(stream(*v.pieces, {0xF0, 0x9F, 0x98, 0x80}), (Deltas{"", "", "", "\U0001F600"}));
  EXPECT_EQ(stream(*v.pieces, {0xEA, 0xB9, 0xB0, v.word(1)}), (Deltas{"", "", "\uAE70", "a"}));
}

TEST(StreamDecoder, AnEmojiInTwoTokensComesWithTheSecond) {  // case A5
  Vocabulary v;
  v.tokens = {"\u00F0\u0141", "\u013A\u0122", "a"};  // F0 9F, 98 80
  const Pieces pieces(v, Spelling::byte_level);
  using Deltas = std::vector<std::string>;
  EXPECT_EQ(stream(pieces, {0, 1, 2}), (Deltas{"", "\U0001F600", "a"}));
}

TEST(StreamDecoder, ACutCharacterIsLeftOut) {  // case A5
  const Metaspace v({"a"});
  StreamDecoder decoder(*v.pieces);
  EXPECT_EQ(decoder.push(v.word(0)), "a");
  EXPECT_EQ(decoder.push(0xF0), "");
  EXPECT_EQ(decoder.push(0x9F), "");
  decoder.finish();
  EXPECT_EQ(decoder.push(v.word(0)), "a");  // nothing is left of it
}

TEST(StreamDecoder, LoneBytesBecomeReplacementsWithinFourTokens) {  // case A5
  const Metaspace v({"a"});
  for (const std::string& delta : stream(*v.pieces, std::vector<int32_t>(10, 0x80))) {
    EXPECT_EQ(delta, kReplacement);
  }
  for (const int32_t lone : {0xC0, 0xC3, 0xE2, 0xF0, 0xF4, 0xFF}) {
    EXPECT_EQ(joined(stream(*v.pieces, std::vector<int32_t>(4, lone))).substr(0, 3), kReplacement);
  }
  EXPECT_EQ(joined(stream(*v.pieces, {0xF0, 0x9F, v.word(0)})), std::string(kReplacement) + "a");
}

TEST(StreamDecoder, ControlTokensAreSkippedUnlessTheyAreWanted) {
  const Metaspace v({"a"});
  StreamDecoder skipping(*v.pieces);
  EXPECT_EQ(skipping.push(v.control()), "");
  StreamDecoder keeping(*v.pieces, ControlText::keep);
  EXPECT_EQ(keeping.push(v.control()), "<s>");
}

TEST(StreamDecoder, AControlTokenDoesNotSplitACharacter) {
  const Metaspace v({"a"});
  EXPECT_EQ(joined(stream(*v.pieces, {0xEA, 0xB9, v.control(), 0xB0})), "\uAE70");
}

TEST(StreamDecoder, WhatIsNotATokenIsRefused) {
  const Metaspace v({"a"});
  StreamDecoder decoder(*v.pieces);
  EXPECT_THROW(decoder.push(-1), Error);
  EXPECT_THROW(decoder.push(static_cast<int32_t>(v.pieces->size())), Error);
}

TEST(StreamDecoder, AnyTokensGiveValidText) {
  constexpr uint64_t kSeed = 3;
  const Pieces pieces(test::small_vocabulary("gpt-2"), Spelling::byte_level);
  test::Random random(kSeed);
  std::vector<int32_t> ids;
  for (int i = 0; i < 100'000; ++i) {
    ids.push_back(static_cast<int32_t>(random.integer(0, pieces.size() - 1)));
  }
  stream(pieces, ids);
}

}  // namespace
}  // namespace colonnade::text
