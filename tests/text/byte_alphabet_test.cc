#include "colonnade/text/byte_alphabet.h"

#include <optional>
#include <set>

#include "tests/text/tokenizer_golden.h"
#include <gtest/gtest.h>

namespace colonnade::text {
namespace {

std::optional<std::string> bytes_of_spelling(std::string_view piece) {
  std::string bytes = "before";
  const bool good = append_bytes_of_spelling(piece, &bytes);
  EXPECT_EQ(bytes.substr(0, 6), "before");
  EXPECT_TRUE(good || bytes.size() == 6);
  return good ? std::optional(bytes.substr(6)) : std::nullopt;
}

TEST(ByteAlphabet, SpellingsOfGpt2AreTheBytesTheyWere) {
  EXPECT_EQ(bytes_of_spelling("\u0120the"), " the");
  EXPECT_EQ(bytes_of_spelling("\u010A"), "\n");
  EXPECT_EQ(bytes_of_spelling("\u00C3\u00A9"), "\xC3\xA9");
  EXPECT_EQ(bytes_of_spelling("\u0100"), std::string(1, '\0'));
  EXPECT_EQ(bytes_of_spelling("\u0121"), "\x7F");
  EXPECT_EQ(bytes_of_spelling("\u0122"), "\x80");
  EXPECT_EQ(bytes_of_spelling("\u0142"), "\xA0");
  EXPECT_EQ(bytes_of_spelling("\u0143"), "\xAD");
  EXPECT_EQ(bytes_of_spelling(""), "");
}

TEST(ByteAlphabet, TheReferencesLettersAreAllBytesOnce) {
  std::set<std::string> bytes;
  const Vocabulary vocabulary = test::small_vocabulary("gpt-2");
  for (size_t i = 0; i < 256; ++i) bytes.insert(bytes_of_spelling(vocabulary.tokens[i]).value());
  EXPECT_EQ(bytes.size(), 256u);
  for (const std::string& s : bytes) EXPECT_EQ(s.size(), 1u);
}

TEST(ByteAlphabet, OtherCharactersSpellNothing) {
  for (const char* other : {" ", "\n", "a b", "\u0144", "\u00A0", "\u00AD", "\u2581", "\u4E00"}) {
    EXPECT_EQ(bytes_of_spelling(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace colonnade::text
