#include "colonnade/nn/mlp.h"

#include <algorithm>
#include <cmath>

#include "tests/nn/nn_fixture.h"
#include "tests/support/bits.h"
#include "tests/support/random.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 41;
constexpr int64_t kTokens = 5, kDim = 64, kHidden = 200;

test::MemorySource source(float gate_scale = 1.0f) {
  test::MemorySource made;
  made.add("blk.0.ffn_gate.weight", kHidden, kDim,
           test::random_floats(kSeed, kHidden * kDim, gate_scale));
  made.add("blk.0.ffn_up.weight", kHidden, kDim, test::random_floats(kSeed + 1, kHidden * kDim));
  made.add("blk.0.ffn_down.weight", kDim, kHidden, test::random_floats(kSeed + 2, kDim * kHidden));
  return made;
}

std::vector<float> residual() { return test::random_floats(kSeed + 4, kTokens * kDim); }

std::vector<float> mlp(const test::MemorySource& s, int ranks, std::vector<double> shares = {}) {
  return test::on_ranks(ranks, [&](Group& group) {
    test::Rank r(s, {group.rank(), ranks, shares}, group);
    const Mlp layer(r.params, "blk.0.", {kDim, kHidden});
    test::load(r.params, *r.device);
    const Tensor x = r.tensor(test::random_floats(kSeed + 3, kTokens * kDim), {kTokens, kDim});
    const Activations a = activations_for(r.cx, x, {layer.gate(), layer.up()});
    return r.read(layer(r.cx, a, r.tensor(residual(), {kTokens, kDim})));
  });
}

TEST(Mlp, DeclaresRowsAndColumnsOfTheSameHiddenPart) {
  const test::MemorySource s = source();
  ParamSet params(s, {1, 3, {}});
  const Mlp layer(params, "blk.0.", {kDim, kHidden});
  ASSERT_EQ(params.matrices().size(), 3u);
  const MatrixParam &gate = params.matrices()[0], &up = params.matrices()[1],
                    &down = params.matrices()[2];
  EXPECT_EQ(gate.name, "blk.0.ffn_gate.weight");
  EXPECT_EQ(up.name, "blk.0.ffn_up.weight");
  EXPECT_EQ(down.name, "blk.0.ffn_down.weight");
  EXPECT_EQ(gate.row_range, up.row_range);
  EXPECT_EQ(gate.row_range, down.col_range);
  EXPECT_EQ(down.col_range.begin % down.leaf.size, 0);
  EXPECT_EQ(down.unit, down.leaf.size);
  EXPECT_EQ(gate.unit, 0);  // cut as the matrix that it feeds
  EXPECT_EQ(down.rows, kDim);
}

TEST(Mlp, EveryRankCountGivesTheBitsOfOne) {
  const test::MemorySource s = source();
  const std::vector<float> one = mlp(s, 1);
  for (const int ranks : {2, 3, 4, 5, 7}) {
    EXPECT_TRUE(test::same_bits(mlp(s, ranks), one)) << ranks << " ranks";
  }
  EXPECT_TRUE(test::same_bits(mlp(s, 3, {5, 1, 2}), one)) << "uneven shares";
}

TEST(Mlp, AGateOfZeroLeavesTheResidual) {
  EXPECT_TRUE(test::same_bits(mlp(source(0.0f), 1), residual()));
}

TEST(Mlp, WithoutAGateItIsTheActivationOfUp) {
  const test::MemorySource s = source();
  const auto run = [&](int ranks) {
    return test::on_ranks(ranks, [&](Group& group) {
      test::Rank r(s, {group.rank(), ranks, {}}, group);
      const Mlp layer(
          r.params, "blk.0.",
          {.dim = kDim, .hidden = kHidden, .activation = Activation::relu, .gated = false});
      EXPECT_EQ(layer.gate(), nullptr);
      test::load(r.params, *r.device);
      const Tensor x = r.tensor(test::random_floats(kSeed + 3, kTokens * kDim), {kTokens, kDim});
      return r.read(layer(r.cx, activations_for(r.cx, x, {layer.up()}), {}));
    });
  };
  const std::vector<float> one = run(1);
  EXPECT_TRUE(test::same_bits(run(3), one));
  const std::vector<float> x = test::random_floats(kSeed + 3, kTokens * kDim);
  const std::vector<float> up = test::random_floats(kSeed + 1, kHidden * kDim);
  const std::vector<float> down = test::random_floats(kSeed + 2, kDim * kHidden);
  for (int64_t t = 0; t < kTokens; ++t) {
    std::vector<double> h(kHidden);
    for (int64_t f = 0; f < kHidden; ++f) {
      for (int64_t k = 0; k < kDim; ++k) h[f] += double{x[t * kDim + k]} * double{up[f * kDim + k]};
      h[f] = std::max(h[f], 0.0);
    }
    for (int64_t d = 0; d < kDim; ++d) {
      double y = 0, magnitude = 0;
      for (int64_t f = 0; f < kHidden; ++f) {
        y += h[f] * double{down[d * kHidden + f]};
        magnitude += std::abs(h[f] * double{down[d * kHidden + f]});
      }
      EXPECT_NEAR(one[t * kDim + d], y, (magnitude + 8) * (kDim + kHidden) * 0x1p-24);
    }
  }
}

}  // namespace
}  // namespace colonnade
