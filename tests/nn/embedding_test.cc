#include "colonnade/nn/embedding.h"

#include "tests/nn/nn_fixture.h"
#include "tests/support/bits.h"
#include "tests/support/random.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 51;
constexpr int64_t kVocab = 700, kDim = 64, kTokens = 2;

test::MemorySource source(bool tied) {
  test::MemorySource made;
  made.add("token_embd.weight", kVocab, kDim, test::random_floats(kSeed, kVocab * kDim));
  if (!tied) made.add("output.weight", kVocab, kDim, test::random_floats(kSeed + 1, kVocab * kDim));
  return made;
}

/// Logits of all ranks, side by side.
std::vector<float> logits(const test::MemorySource& s, int ranks) {
  std::vector<float> y(kTokens * kVocab);
  for (int rank = 0; rank < ranks; ++rank) {
    SoloGroup group;
    test::Rank r(s, {rank, ranks, {}}, group);
    const TokenEmbedding ends(r.params, kVocab, kDim);
    const Range rows = r.params.matrices()[0].row_range;
    if (rows.empty()) continue;
    test::load(r.params, *r.device);
    const Tensor x = r.tensor(test::random_floats(7, kTokens * kDim), {kTokens, kDim});
    const std::vector<float> part =
        r.read(ends.logits(r.cx, activations_for(r.cx, x, {ends.head()})));
    for (int64_t t = 0; t < kTokens; ++t) {
      std::copy_n(part.begin() + t * rows.size(), rows.size(), y.begin() + t * kVocab + rows.begin);
    }
  }
  return y;
}

TEST(TokenEmbedding, WithoutAHeadInTheFilesOneMatrixServesBothEnds) {
  for (const bool tied : {true, false}) {
    const test::MemorySource s = source(tied);
    SoloGroup group;
    test::Rank r(s, {}, group);
    const TokenEmbedding ends(r.params, kVocab, kDim);
    EXPECT_EQ(ends.tied(), tied);
    ASSERT_EQ(r.params.matrices().size(), tied ? 1u : 2u);
    test::load(r.params, *r.device);
    EXPECT_EQ(ends.head()->name(), tied ? "token_embd.weight" : "output.weight");
  }
}

TEST(TokenEmbedding, TheVocabularyIsCutInBlocksOfTheSampler) {
  const test::MemorySource s = source(true);
  ParamSet params(s, {1, 2, {}});
  const TokenEmbedding ends(params, kVocab, kDim);
  const Range rows = params.matrices()[0].row_range;
  EXPECT_EQ(rows.begin % kVocabularyUnit, 0);
  EXPECT_EQ(params.matrices()[0].unit, kVocabularyUnit);
  EXPECT_EQ(rows.end, kVocab);
}

TEST(TokenEmbedding, LooksUpTheRowsOfTheIds) {
  const test::MemorySource s = source(false);
  SoloGroup group;
  test::Rank r(s, {}, group);
  const TokenEmbedding ends(r.params, kVocab, kDim);
  test::load(r.params, *r.device);
  Tensor ids = r.workspace.tensor({2}, DType::i32);
  ids.i32()[0] = kVocab - 1;
  ids.i32()[1] = 3;
  const std::vector<float> all = test::random_floats(kSeed, kVocab * kDim);
  std::vector<float> expected(all.end() - kDim, all.end());
  expected.insert(expected.end(), all.begin() + 3 * kDim, all.begin() + 4 * kDim);
  EXPECT_TRUE(test::same_bits(r.read(ends.embed(r.cx, ids)), expected));
  ids.i32()[1] = kVocab;
  EXPECT_THROW(ends.embed(r.cx, ids), Error);
}

TEST(TokenEmbedding, EveryRankHasTheRowsOfAllIdsWhoeverHoldsThem) {
  const test::MemorySource s = source(true);
  const std::vector<int32_t> wanted = {0, 255, 256, 511, 512, kVocab - 1, 3};
  std::vector<float> expected;
  const std::vector<float> all = test::random_floats(kSeed, kVocab * kDim);
  for (const int32_t id : wanted)
    expected.insert(expected.end(), all.begin() + id * kDim, all.begin() + (id + 1) * kDim);
  for (const int ranks : {1, 2, 3, 5}) {
    const std::vector<float> found = test::on_ranks(ranks, [&](Group& group) {
      test::Rank r(s, {group.rank(), ranks, {}}, group);
      const TokenEmbedding ends(r.params, kVocab, kDim);
      test::load(r.params, *r.device);
      Tensor ids = r.workspace.tensor({static_cast<int64_t>(wanted.size())}, DType::i32);
      std::copy(wanted.begin(), wanted.end(), ids.i32());
      return r.read(ends.embed(r.cx, ids));
    });
    EXPECT_TRUE(test::same_bits(found, expected)) << ranks << " ranks";
  }
}

TEST(TokenEmbedding, LogitsOfAnyNumberOfRanksHaveTheBitsOfOne) {
  for (const bool tied : {true, false}) {
    const test::MemorySource s = source(tied);
    const std::vector<float> one = logits(s, 1);
    for (const int ranks : {2, 3, 4}) {
      EXPECT_TRUE(test::same_bits(logits(s, ranks), one)) << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace colonnade
