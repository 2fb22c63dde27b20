#include "colonnade/text/pretokenizer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade::text {
namespace {

using testing::ElementsAre;

TEST(PreTokenizer, DigitsAreGroupedAsTheModelWasTrained) {
  EXPECT_THAT(PreTokenizer("gpt-2").split("in 12345"), ElementsAre("in", " 12345"));
  EXPECT_THAT(PreTokenizer("smollm").split("in 123"), ElementsAre("in", " ", "1", "2", "3"));
  EXPECT_THAT(PreTokenizer("llama-bpe").split("in 12345"), ElementsAre("in", " ", "123", "45"));
  EXPECT_THAT(PreTokenizer("qwen2").split("in 123"), ElementsAre("in", " ", "1", "2", "3"));
}

TEST(PreTokenizer, ContractionsAreCutOffInTheCasesTheModelKnows) {
  EXPECT_THAT(PreTokenizer("gpt-2").split("we'll WE'LL"),
              ElementsAre("we", "'ll", " WE", "'", "LL"));
  EXPECT_THAT(PreTokenizer("qwen2").split("we'll WE'lL"), ElementsAre("we", "'ll", " WE", "'lL"));
  EXPECT_THAT(PreTokenizer("qwen2").split("x'\u017Fy"), ElementsAre("x", "'\u017F", "y"));
  EXPECT_THAT(PreTokenizer("gpt-2").split("x'\u017Fy"), ElementsAre("x", "'", "\u017Fy"));
}

TEST(PreTokenizer, TheLastSpaceGoesWithTheWord) {
  EXPECT_THAT(PreTokenizer("gpt-2").split("a   b  "), ElementsAre("a", "  ", " b", "  "));
  EXPECT_THAT(PreTokenizer("qwen2").split("a \n\n b\t!"),
              ElementsAre("a", " \n\n", " b", "\t", "!"));
  // For SmolLM2 a digit is another text, so all spaces before it stay together.
  EXPECT_THAT(PreTokenizer("smollm").split("a   1"), ElementsAre("a", "   ", "1"));
  EXPECT_THAT(PreTokenizer("gpt-2").split("a   1"), ElementsAre("a", "  ", " 1"));
}

TEST(PreTokenizer, CharactersOutsideAsciiHaveTheirClasses) {
  EXPECT_THAT(PreTokenizer("gpt-2").split("\u00E9t\u00E9 \u0664\u0665\u3000\u4E2D\u6587\u3002"),
              ElementsAre("\u00E9t\u00E9", " \u0664\u0665", "\u3000", "\u4E2D\u6587", "\u3002"));
  // A combining mark is no letter.
  EXPECT_THAT(PreTokenizer("gpt-2").split("e\u0301a"), ElementsAre("e", "\u0301", "a"));
}

TEST(PreTokenizer, NothingHasNoWords) { EXPECT_TRUE(PreTokenizer("gpt-2").split("").empty()); }

TEST(PreTokenizer, AnUnknownNameIsRefusedWithTheKnownOnes) {
  try {
    PreTokenizer("gpt-9");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("'gpt-9'"));
    for (const char* known : {"gpt-2", "smollm", "llama-bpe", "qwen2"}) {
      EXPECT_THAT(e.what(), testing::HasSubstr(known));
    }
  }
}

TEST(PreTokenizer, MegabytesOfOneKindAreSplitInLinearTime) {
  std::string han;
  for (int i = 0; i < 350'000; ++i) han += "\u4E2D";
  const std::string texts[] = {std::string(1 << 20, 'a'),       std::string(1 << 20, ' '),
                               std::string(1 << 20, ' ') + "a", std::string(1 << 20, '\n'),
                               std::string(1 << 20, '!'),       han};
  for (const char* name : {"gpt-2", "smollm", "llama-bpe", "qwen2"}) {
    const PreTokenizer pre_tokenizer(name);
    for (const std::string& text : texts) {
      size_t length = 0;
      for (const std::string_view word : pre_tokenizer.split(text)) length += word.size();
      EXPECT_EQ(length, text.size());
    }
  }
}

}  // namespace
}  // namespace colonnade::text
