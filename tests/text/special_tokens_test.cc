#include "colonnade/text/special_tokens.h"

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade::text {
namespace {

Vocabulary vocabulary() {
  Vocabulary v;
  v.tokens = {"a", "<|x|>", "<|x|><|y|>", "<|", "<tool>", "<unk>", "", "plain", "[PAD]", "<|x"};
  v.token_types = {1, 3, 3, 4, 4, 2, 3, 1, 5, 3};
  return v;
}

// "text" or "#id" of every segment, separated by blanks.
std::string cut(const std::string& text, const std::vector<ByteRange>& trusted) {
  std::string out;
  for (const Segment& s : SpecialTokens(vocabulary()).split(text, trusted)) {
    if (!out.empty()) out += ' ';
    out += s.is_text() ? text.substr(s.range.begin, s.range.end - s.range.begin)
                       : '#' + std::to_string(s.token);
  }
  return out;
}

std::string cut_trusted(const std::string& text) { return cut(text, {{0, text.size()}}); }

TEST(SpecialTokens, TheLongestOfTheLeftmostIsTaken) {
  EXPECT_EQ(cut_trusted("a<|x|>b"), "a #1 b");
  EXPECT_EQ(cut_trusted("<|x|><|y|>"), "#2");
  EXPECT_EQ(cut_trusted("<|x|><|y"), "#1 #3 y");
  EXPECT_EQ(cut_trusted("<|xy"), "#9 y");
  EXPECT_EQ(cut_trusted("<<|x|>"), "< #1");
  EXPECT_EQ(cut_trusted("<unk><tool>"), "#5 #4");
  EXPECT_EQ(cut_trusted(""), "");
}

TEST(SpecialTokens, NormalAndUnusedTokensAreNotLookedFor) {
  EXPECT_EQ(cut_trusted("plain [PAD]"), "plain [PAD]");
}

TEST(SpecialTokens, UntrustedTextHoldsUserDefinedTokensOnly) {
  EXPECT_EQ(cut("a<|x|>b<tool><unk>", {}), "a #3 x|>b #4 <unk>");
}

TEST(SpecialTokens, AControlTokenMustLieWhollyInTrustedText) {
  const std::string text = "<|x|><|x|>";  // 0..5, 5..10
  EXPECT_EQ(cut(text, {{0, 5}}), "#1 #3 x|>");
  EXPECT_EQ(cut(text, {{5, 10}}), "#3 x|> #1");
  EXPECT_EQ(cut(text, {{1, 10}}), "#3 x|> #1");
  EXPECT_EQ(cut(text, {{0, 4}, {5, 9}}), "#9 |> #9 |>");
  EXPECT_EQ(cut(text, {{0, 2}, {3, 10}}), "#3 x|> #1");
}

TEST(SpecialTokens, TwoTokensWithOneTextAreRefused) {
  Vocabulary v = vocabulary();
  v.tokens[4] = "<|x|>";
  EXPECT_THROW(SpecialTokens{v}, Error);
}

}  // namespace
}  // namespace colonnade::text
