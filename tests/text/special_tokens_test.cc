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
  for (const Segment& s : SpecialTokens(written_tokens(vocabulary())).split(text, trusted)) {
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
  EXPECT_THROW(SpecialTokens(written_tokens(v)), Error);
}

// One token <x>, of which `change` says more.
std::string cut_at(const std::string& text, void (*change)(WrittenToken&)) {
  WrittenToken token;
  token.text = "<x>";
  token.id = 1;
  change(token);
  std::string out;
  for (const Segment& s : SpecialTokens({token}).split(text, {}))
    out += (s.is_text() ? "|" : "#") + text.substr(s.range.begin, s.range.end - s.range.begin);
  return out;
}

TEST(SpecialTokens, ATokenTakesTheSpacesThatItStrips) {
  const auto left = [](WrittenToken& t) { t.strip_left = true; };
  const auto right = [](WrittenToken& t) { t.strip_right = true; };
  EXPECT_EQ(cut_at("a \u3000\n<x>  b", left), "|a# \u3000\n<x>|  b");
  EXPECT_EQ(cut_at("a  <x> \u3000\nb", right), "|a  #<x> \u3000\n|b");
  EXPECT_EQ(cut_at("  <x>", left), "#  <x>");
  EXPECT_EQ(cut_at("<x>  ", right), "#<x>  ");
  EXPECT_EQ(cut_at("<x>  <x>", left), "#<x>#  <x>");
}

TEST(SpecialTokens, ASingleWordIsOneOnlyWhereNoLetterTouchesIt) {
  const auto single = [](WrittenToken& t) { t.single_word = true; };
  EXPECT_EQ(cut_at("<x>", single), "#<x>");
  EXPECT_EQ(cut_at("a <x>-", single), "|a #<x>|-");
  EXPECT_EQ(cut_at("<x>\u00BD", single), "#<x>|\u00BD");
  for (const char* text : {"a<x>", "<x>1", "\u00E9<x>", "_<x>"})
    EXPECT_EQ(cut_at(text, single), std::string("|") + text);
}

TEST(SpecialTokens, Phi3sControlTokensTakeTheSpacesBehindThem) {
  Vocabulary v;
  v.tokens = {"<s>", "<|end|>", "<tool>", "<|endoftext|>"};
  v.token_types = {3, 3, 4, 3};
  v.bos = 0;
  v.strip_behind_control = true;
  for (const WrittenToken& token : written_tokens(v))
    EXPECT_EQ(token.strip_right, token.text == "<|end|>") << token.text;
  v.strip_behind_control = false;
  for (const WrittenToken& token : written_tokens(v)) EXPECT_FALSE(token.strip_right);
}

TEST(SpecialTokens, TheRulesOfAVocabularyNameItsTokens) {
  Vocabulary v = vocabulary();
  EXPECT_EQ(written_tokens(v).size(), 6u);
  v.rules.emplace();
  EXPECT_TRUE(written_tokens(v).empty());
  EXPECT_TRUE(SpecialTokens({}).empty());
}

}  // namespace
}  // namespace colonnade::text
