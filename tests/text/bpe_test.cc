#include "colonnade/text/bpe.h"

#include <functional>
#include <limits>
#include <map>

#include "tests/text/tokenizer_golden.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade::text {
namespace {

using testing::ElementsAre;

Vocabulary letters() {
  Vocabulary v;
  v.tokens = {"a", "b", "c", "ab", "bc", "abc", "aa", "abcab"};
  v.merges = {"b c", "a b", "a bc", "a a"};
  return v;
}

std::vector<int32_t> encode(const Vocabulary& v, std::vector<std::string_view> words,
                            WholeWords whole_words = WholeWords::by_merges) {
  const Pieces pieces(v, Spelling::byte_level);
  std::vector<int32_t> ids;
  Bpe(v, pieces, whole_words).encode(words, &ids);
  return ids;
}

TEST(Bpe, TheBestRankIsMergedFirst) {
  EXPECT_THAT(encode(letters(), {"abc"}), ElementsAre(5));  // b c, then a bc
  EXPECT_THAT(encode(letters(), {"ab"}), ElementsAre(3));
  EXPECT_THAT(encode(letters(), {"aab"}), ElementsAre(0, 3));
}

TEST(Bpe, OfEqualRankTheLeftmostIsMergedFirst) {
  EXPECT_THAT(encode(letters(), {"aaa"}), ElementsAre(6, 0));
  EXPECT_THAT(encode(letters(), {"aaaa"}), ElementsAre(6, 6));
}

TEST(Bpe, WordsAreMergedEachByItself) {
  EXPECT_THAT(encode(letters(), {"a", "b", "", "ab", "ab"}), ElementsAre(0, 1, 3, 3));
}

TEST(Bpe, AWordThatIsATokenIsTakenAtOnceWhereTheModelWantsIt) {
  EXPECT_THAT(encode(letters(), {"abcab"}, WholeWords::by_merges), ElementsAre(5, 3));
  EXPECT_THAT(encode(letters(), {"abcab"}, WholeWords::at_once), ElementsAre(7));
}

TEST(Bpe, AByteWithoutATokenIsLeftOut) {
  EXPECT_THAT(encode(letters(), {"axb"}), ElementsAre(3));  // the two then are neighbours
  EXPECT_THAT(encode(letters(), {"x"}), ElementsAre());
}

TEST(Bpe, AMistakeInTheVocabularyIsNamed) {
  const struct {
    std::function<void(Vocabulary&)> spoil;
    const char* message;
  } cases[] = {
      {[](Vocabulary& v) { v.tokens[1] = "a"; }, "tokens 0 and 1 are both 'a'"},
      {[](Vocabulary& v) { v.merges[1] = "ab"; }, "merges[1] 'ab'"},
      {[](Vocabulary& v) { v.merges[1] = "a b c"; }, "merges[1] 'a b c'"},
      {[](Vocabulary& v) { v.merges[1] = "a \u4E00"; }, "byte alphabet"},
      {[](Vocabulary& v) { v.merges[2] = "c c"; }, "one of the three is none"},
      {[](Vocabulary& v) { v.merges[2] = "ab bc"; }, "one of the three is none"},
      {[](Vocabulary& v) { v.merges[2] = " ab"; }, "one of the three is none"},
  };
  for (const auto& c : cases) {
    Vocabulary v = letters();
    c.spoil(v);
    try {
      encode(v, {});
      ADD_FAILURE() << "no error that says " << c.message;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(c.message));
    }
  }
}

// SentencePiece: characters, scores, bytes for what is not there. The scores say: best ab, then bc,
// abc, _a.
Vocabulary scored() {
  Vocabulary v;
  v.model = "llama";
  v.tokens = {"<unk>", "a", "b", "c", "ab", "bc", "abc", "\u2581", "\u2581a", "<s>"};
  v.token_types = {2, 1, 1, 1, 1, 1, 1, 1, 1, 3};
  v.scores = {0, -10, -11, -12, -1, -2, -3, -13, -4, 0};
  v.unk = 0;
  return v;
}

std::vector<int32_t> encode_written(const Vocabulary& v, std::string_view word) {
  const Pieces pieces(v, Spelling::as_written);
  std::vector<int32_t> ids;
  Bpe(v, pieces, WholeWords::by_merges).encode({word}, &ids);
  return ids;
}

TEST(Bpe, TheBestScoreIsMergedFirst) {
  EXPECT_THAT(encode_written(scored(), "abc"), ElementsAre(6));
  EXPECT_THAT(encode_written(scored(), "bcab"), ElementsAre(5, 4));
  EXPECT_THAT(encode_written(scored(), "\u2581abc"), ElementsAre(7, 6));
  EXPECT_THAT(encode_written(scored(), "\u2581ac"), ElementsAre(8, 3));
}

TEST(Bpe, OfEqualScoresTheLeftmostIsMergedFirst) {
  Vocabulary v = scored();
  v.scores[4] = v.scores[5];
  EXPECT_THAT(encode_written(v, "abcb"), ElementsAre(6, 2));
  v.scores[6] = -100;
  v.tokens[6] = "xyz";
  EXPECT_THAT(encode_written(v, "abcb"), ElementsAre(4, 3, 2));
}

TEST(Bpe, RunsOfSpacesMergeBeforeAllElse) {  // as in Gemma
  Vocabulary v = scored();
  for (const char* run : {"  ", "   ", "    "}) {
    v.tokens.push_back(run);
    v.token_types.push_back(4);
    v.scores.push_back(-1000);
  }
  const auto spaces = [&](int count) {
    std::string word = "b";
    for (int i = 0; i < count; ++i) word += "\u2581";
    return encode_written(v, word + "ab");
  };
  EXPECT_THAT(spaces(1), ElementsAre(2, 7, 4));
  EXPECT_THAT(spaces(3), ElementsAre(2, 11, 4));
  EXPECT_THAT(spaces(5), ElementsAre(2, 10, 11, 4));
  EXPECT_THAT(spaces(8), ElementsAre(2, 12, 12, 4));
}

TEST(Bpe, AMergeAcrossASpaceIsMadeWhereAnyTokenHasOne) {
  Vocabulary v = scored();
  EXPECT_THAT(encode_written(v, "c\u2581a\u2581c\u2581a"), ElementsAre(3, 8, 7, 3, 8));
  for (const char* token : {"c\u2581", "c\u2581a"}) {  // the first of them only later
    v.tokens.push_back(token);
    v.token_types.push_back(1);
    v.scores.push_back(v.tokens.size() == 11 ? -100 : -5);
  }
  EXPECT_THAT(encode_written(v, "c\u2581a\u2581c\u2581a"), ElementsAre(11, 7, 11));
}

TEST(Bpe, AControlTokenIsNotReachedByMerges) {
  Vocabulary v = scored();
  for (const char* letter : {"<", "s", ">", "<s"}) {
    v.tokens.push_back(letter);
    v.token_types.push_back(1);
    v.scores.push_back(-20);
  }
  EXPECT_THAT(encode_written(v, "<s>"), ElementsAre(13, 12));
}

TEST(Bpe, ACharacterWithoutATokenIsUnknownOnceForAllNeighboursThatAre) {
  EXPECT_THAT(encode_written(scored(), "ax\u00E9b"), ElementsAre(1, 0, 2));
  Vocabulary v = scored();
  v.unk = -1;
  EXPECT_THAT(encode_written(v, "ax\u00E9b"), ElementsAre(1, 2));
}

TEST(Bpe, ACharacterWithoutATokenIsSpelledInBytesWhereAllAreTokens) {
  Vocabulary v = scored();
  for (const char* byte : {"<0xC3>", "<0xA9>", "<0x61>"}) {
    v.tokens.push_back(byte);
    v.token_types.push_back(6);
    v.scores.push_back(0);
  }
  EXPECT_THAT(encode_written(v, "a\u00E9b"), ElementsAre(1, 10, 11, 2));
  EXPECT_THAT(encode_written(v, "a\u00E8b"), ElementsAre(1, 0, 2));  // no token for A8
}

TEST(Bpe, MergesByIdAndTheWayOfUnknownTextComeFromTheRules) {
  Vocabulary v = scored();
  v.rules.emplace();
  v.rules->merges = {{2, 3, 5}, {1, 5, 6}};
  EXPECT_THAT(encode_written(v, "abxyab"), ElementsAre(1, 2, 1, 2));
  v.rules->unknown = UnknownText::unk_each;
  EXPECT_THAT(encode_written(v, "abcxyab"), ElementsAre(6, 0, 0, 1, 2));
  v.rules->unknown = UnknownText::unk_for_all;
  EXPECT_THAT(encode_written(v, "xyab"), ElementsAre(0, 1, 2));
}

// The definition, one merge after the other over the whole word.
std::vector<std::string> merged_plainly(
    const std::map<std::pair<std::string, std::string>, int>& ranks, const std::string& word) {
  std::vector<std::string> parts;
  for (const char c : word) parts.emplace_back(1, c);
  while (true) {
    int best_rank = std::numeric_limits<int>::max();
    size_t best = 0;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto it = ranks.find({parts[i], parts[i + 1]});
      if (it == ranks.end() || it->second >= best_rank) continue;
      best_rank = it->second;
      best = i;
    }
    if (best_rank == std::numeric_limits<int>::max()) return parts;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

TEST(Bpe, RandomWordsAreMergedAsTheDefinitionSays) {
  constexpr uint64_t kSeed = 5;
  test::Random random(kSeed);
  for (int round = 0; round < 50; ++round) {
    Vocabulary v;
    v.tokens = {"a", "b", "c"};
    std::map<std::pair<std::string, std::string>, int> ranks;
    for (int rank = 0; rank < 30; ++rank) {
      const auto any = [&] {
        return v.tokens[static_cast<size_t>(
            random.integer(0, static_cast<int64_t>(v.tokens.size()) - 1))];
      };
      const std::string left = any(), right = any();
      if (!ranks.emplace(std::pair(left, right), static_cast<int>(v.merges.size())).second)
        continue;
      v.merges.push_back(left + ' ' + right);
      if (std::find(v.tokens.begin(), v.tokens.end(), left + right) == v.tokens.end())
        v.tokens.push_back(left + right);
    }
    std::string word;
    for (int64_t left = random.integer(1, 200); left > 0; --left) {
      word += static_cast<char>('a' + random.integer(0, 2));
    }
    std::vector<std::string> parts;
    for (const int32_t id : encode(v, {word})) parts.push_back(v.tokens[static_cast<size_t>(id)]);
    ASSERT_EQ(parts, merged_plainly(ranks, word)) << word;
  }
}

TEST(Bpe, AMegabyteWithoutSpacesIsMergedQuickly) {  // would take hours if it were quadratic
  constexpr uint64_t kSeed = 6;
  test::Random random(kSeed);
  std::string word;
  while (word.size() < (1 << 20)) word += static_cast<char>('a' + random.integer(0, 25));
  std::string back;
  const Vocabulary v = test::small_vocabulary("gpt-2");
  for (const std::string& text : {word, std::string(1 << 20, 'a')}) {
    back.clear();
    for (const int32_t id : encode(v, {text})) back += v.tokens[static_cast<size_t>(id)];
    EXPECT_EQ(back, text);
  }
}

}  // namespace
}  // namespace colonnade::text
