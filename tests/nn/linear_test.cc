#include "colonnade/nn/linear.h"

#include "tests/nn/nn_fixture.h"
#include "tests/support/bits.h"
#include "tests/support/random.h"
#include <gtest/gtest.h>

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 31;
constexpr int64_t kTokens = 3, kIn = 64, kOut = 96, kLeafSize = 4;

test::MemorySource source(bool bias) {
  test::MemorySource made;
  made.add("a.weight", kOut, kIn, test::random_floats(kSeed, kOut * kIn));
  if (bias) made.add("a.bias", 1, kOut, test::random_floats(kSeed + 1, kOut));
  return made;
}

std::vector<float> input() { return test::random_floats(kSeed + 2, kTokens * kIn); }

/// Column c of the result of rank r stands at row [t][columns of the ranks before + c].
std::vector<float> all_to_sharded(const test::MemorySource& s, int ranks) {
  std::vector<float> y(kTokens * kOut);
  for (int rank = 0; rank < ranks; ++rank) {
    SoloGroup group;
    test::Rank r(s, {rank, ranks, {}}, group);
    const Range rows = r.params.cut().part(kOut, 8);
    const AllToShardedLinear linear(r.params, "a", {kIn, kOut}, rows);
    if (rows.empty()) continue;
    test::load(r.params, *r.device);
    const Activations x =
        activations_for(r.cx, r.tensor(input(), {kTokens, kIn}), {linear.weight()});
    const std::vector<float> part = r.read(matmul(r.cx, x, {linear.term()}));
    for (int64_t t = 0; t < kTokens; ++t) {
      std::copy_n(part.begin() + t * rows.size(), rows.size(), y.begin() + t * kOut + rows.begin);
    }
  }
  return y;
}

std::vector<float> sharded_to_all(const test::MemorySource& s, int ranks) {
  return test::on_ranks(ranks, [&](Group& group) {
    test::Rank r(s, {group.rank(), ranks, {}}, group);
    const Range cols = r.params.cut().part(kIn, kLeafSize);
    const ShardedToAllLinear linear(r.params, "a", {kIn, kOut}, cols,
                                    {LeafRule::sharded_to_all, kLeafSize});
    test::load(r.params, *r.device);
    const std::vector<float> whole = input();
    std::vector<float> part;
    for (int64_t t = 0; t < kTokens; ++t) {
      part.insert(part.end(), whole.begin() + t * kIn + cols.begin,
                  whole.begin() + t * kIn + cols.end);
    }
    const Activations x =
        activations_for(r.cx, r.tensor(part, {kTokens, cols.size()}), {&linear.weight()});
    return r.read(
        linear(r.cx, x, r.tensor(test::random_floats(4, kTokens * kOut), {kTokens, kOut})));
  });
}

TEST(AllToShardedLinear, DeclaresItsRowsAndABiasOnlyIfThereIsOne) {
  for (const bool bias : {false, true}) {
    const test::MemorySource s = source(bias);
    ParamSet params(s, {1, 2, {}});
    const AllToShardedLinear linear(params, "a", {kIn, kOut}, {48, 96}, Presence::optional, 16);
    ASSERT_EQ(params.matrices().size(), 1u);
    const MatrixParam& weight = params.matrices()[0];
    EXPECT_EQ(weight.name, "a.weight");
    EXPECT_EQ(weight.row_range, (Range{48, 96}));
    EXPECT_EQ(weight.col_range, (Range{0, kIn}));
    EXPECT_EQ(weight.leaf.kind, LeafRule::ordinary);
    EXPECT_EQ(weight.interleaved_head, 16);
    ASSERT_EQ(params.vectors().size(), bias ? 1u : 0u);
    if (!bias) continue;
    EXPECT_EQ(params.vectors()[0].range, (Range{48, 96}));
    EXPECT_EQ(params.vectors()[0].interleaved_head, 16);
  }
}

TEST(AllToShardedLinear, EveryRankCountGivesTheBitsOfOne) {
  const test::MemorySource s = source(true);
  const std::vector<float> one = all_to_sharded(s, 1);
  for (const int ranks : {2, 3, 5, 7}) {
    EXPECT_TRUE(test::same_bits(all_to_sharded(s, ranks), one)) << ranks << " ranks";
  }
}

TEST(ShardedToAllLinear, DeclaresItsColumnsAndTheWholeBias) {
  const test::MemorySource s = source(true);
  ParamSet params(s, {1, 2, {}});
  const ShardedToAllLinear linear(params, "a", {kIn, kOut}, {32, 64}, {LeafRule::fixed, 16});
  const MatrixParam& weight = params.matrices().at(0);
  EXPECT_EQ(weight.row_range, (Range{0, kOut}));
  EXPECT_EQ(weight.col_range, (Range{32, 64}));
  EXPECT_EQ(weight.leaf.size, 16);
  EXPECT_EQ(params.vectors().at(0).range, (Range{0, kOut}));
}

TEST(ShardedToAllLinear, EveryRankCountGivesTheBitsOfOne) {
  for (const bool bias : {false, true}) {
    const test::MemorySource s = source(bias);
    const std::vector<float> one = sharded_to_all(s, 1);
    for (const int ranks : {2, 3, 5, 7, 16}) {
      EXPECT_TRUE(test::same_bits(sharded_to_all(s, ranks), one)) << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace colonnade
