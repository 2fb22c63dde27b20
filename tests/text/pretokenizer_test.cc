#include "colonnade/text/pretokenizer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/text/known_steps.h"

namespace colonnade::text {
namespace {

using testing::ElementsAre;

PreTokenizer known(const char* name) { return PreTokenizer(known_steps(name).steps.splits); }

TEST(PreTokenizer, DigitsAreGroupedAsTheModelWasTrained) {
  EXPECT_THAT(known("gpt-2").split("in 12345"), ElementsAre("in", " 12345"));
  EXPECT_THAT(known("smollm").split("in 123"), ElementsAre("in", " ", "1", "2", "3"));
  EXPECT_THAT(known("llama-bpe").split("in 12345"), ElementsAre("in", " ", "123", "45"));
  EXPECT_THAT(known("qwen2").split("in 123"), ElementsAre("in", " ", "1", "2", "3"));
}

TEST(PreTokenizer, ContractionsAreCutOffInTheCasesTheModelKnows) {
  EXPECT_THAT(known("gpt-2").split("we'll WE'LL"), ElementsAre("we", "'ll", " WE", "'", "LL"));
  EXPECT_THAT(known("qwen2").split("we'll WE'lL"), ElementsAre("we", "'ll", " WE", "'lL"));
  EXPECT_THAT(known("qwen2").split("x'\u017Fy"), ElementsAre("x", "'\u017F", "y"));
  EXPECT_THAT(known("gpt-2").split("x'\u017Fy"), ElementsAre("x", "'", "\u017Fy"));
}

TEST(PreTokenizer, TheLastSpaceGoesWithTheWord) {
  EXPECT_THAT(known("gpt-2").split("a   b  "), ElementsAre("a", "  ", " b", "  "));
  EXPECT_THAT(known("qwen2").split("a \n\n b\t!"), ElementsAre("a", " \n\n", " b", "\t", "!"));
  // For SmolLM2 a digit is another text, so all spaces before it stay together.
  EXPECT_THAT(known("smollm").split("a   1"), ElementsAre("a", "   ", "1"));
  EXPECT_THAT(known("gpt-2").split("a   1"), ElementsAre("a", "  ", " 1"));
}

TEST(PreTokenizer, CharactersOutsideAsciiHaveTheirClasses) {
  EXPECT_THAT(known("gpt-2").split("\u00E9t\u00E9 \u0664\u0665\u3000\u4E2D\u6587\u3002"),
              ElementsAre("\u00E9t\u00E9", " \u0664\u0665", "\u3000", "\u4E2D\u6587", "\u3002"));
  // A combining mark is no letter.
  EXPECT_THAT(known("gpt-2").split("e\u0301a"), ElementsAre("e", "\u0301", "a"));
}

TEST(PreTokenizer, NothingHasNoWords) { EXPECT_TRUE(known("gpt-2").split("").empty()); }

TEST(PreTokenizer, MatchesGoWhereTheBehaviorSays) {
  using enum SplitBehavior;
  const struct {
    SplitBehavior behavior;
    std::vector<std::string_view> words;
  } cases[] = {
      // those of the documentation of Hugging Face `tokenizers`
      {removed, {"the", "final", "countdown"}},
      {isolated, {"the", "-", "final", "-", "-", "countdown"}},
      {merged_with_previous, {"the-", "final-", "-", "countdown"}},
      {merged_with_next, {"the", "-final", "-", "-countdown"}},
      {contiguous, {"the", "-", "final", "--", "countdown"}},
  };
  for (const auto& c : cases)
    EXPECT_EQ(PreTokenizer({{"-", c.behavior, false}}).split("the-final--countdown"), c.words);
}

TEST(PreTokenizer, InvertedTheMatchesAreWhatLiesBetween) {
  EXPECT_THAT(PreTokenizer({{"\\w+", SplitBehavior::removed, true}}).split("a, b"),
              ElementsAre("a", "b"));
}

TEST(PreTokenizer, AStepSeesNothingButItsWord) {
  const PreTokenizer pre_tokenizer({{"1", SplitBehavior::isolated, false},
                                    {"\u00E9(?=1)|a(?!1)", SplitBehavior::isolated, false}});
  EXPECT_THAT(pre_tokenizer.split("xa1\u00E91"), ElementsAre("x", "a", "1", "\u00E9", "1"));
}

TEST(PreTokenizer, WhenAllIsRemovedNothingIsLeft) {
  const PreTokenizer pre_tokenizer(
      {{"a", SplitBehavior::removed, false}, {"b", SplitBehavior::isolated, false}});
  EXPECT_TRUE(pre_tokenizer.split("aaa").empty());
}

TEST(PreTokenizer, WithoutStepsAllIsOneWord) {
  EXPECT_THAT(PreTokenizer({}).split("a b"), ElementsAre("a b"));
}

TEST(PreTokenizer, MegabytesOfOneKindAreSplitInLinearTime) {
  std::string han;
  for (int i = 0; i < 350'000; ++i) han += "\u4E2D";
  const std::string texts[] = {std::string(1 << 20, 'a'),       std::string(1 << 20, ' '),
                               std::string(1 << 20, ' ') + "a", std::string(1 << 20, '\n'),
                               std::string(1 << 20, '!'),       han};
  for (const char* name : {"gpt-2", "smollm", "llama-bpe", "qwen2"}) {
    const PreTokenizer pre_tokenizer = known(name);
    for (const std::string& text : texts) {
      size_t length = 0;
      for (const std::string_view word : pre_tokenizer.split(text)) length += word.size();
      EXPECT_EQ(length, text.size());
    }
  }
}

}  // namespace
}  // namespace colonnade::text
