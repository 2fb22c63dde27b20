#include "colonnade/ops/parallel.h"

#include <cmath>
#include <string>

#include "tests/ops/ops_fixture.h"
#include "tests/support/bits.h"
#include "tests/support/random.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/comm/thread_ranks.h"
#include "colonnade/ops/matmul.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 12;
constexpr int64_t kTokens = 4, kRows = 1000, kK = 512;

struct Case {
  WeightFormat format;
  Tier tier;
  int64_t leaf;
};
const Case kCases[] = {{WeightFormat::q4_0, Tier::int8, 32},
                       {WeightFormat::q4_k, Tier::int15, 64},
                       {WeightFormat::bf16, Tier::f32, 16},
                       {WeightFormat::q8_0, Tier::f32, 32}};

struct Product {
  std::vector<float> y;
  std::vector<float> w;
};

/// Rank 0 holds all columns, the others none: sums travel and come back as they were.
Product product(const Case& c, int threads, Group* group, float x_scale = 1.0f,
                int64_t tokens = kTokens) {
  test::OpsFixture f(threads);
  if (group != nullptr) f.cx.mesh.tensor_parallel = group;
  const bool holds = group == nullptr || group->rank() == 0;
  const Range cols = holds ? Range{0, kK} : Range{kK, kK};
  const KPlan plan(c.format, KCut{kK, cols, c.leaf});
  const test::TestWeight w = test::random_weight(
      *f.device, kSeed, WeightSpec{"blk.0.ffn_down", c.format, kRows, plan, c.tier});
  const Tensor x =
      f.tensor(test::random_floats(kSeed, tokens * cols.size(), x_scale), {tokens, cols.size()});
  const Activations a = activations_for(f.cx, x, {w.packed.get()});
  const Tensor bias = f.tensor(test::random_floats(1, kRows), {kRows});
  Tensor residual = f.tensor(test::random_floats(2, tokens * kRows), {tokens, kRows});
  const Tensor y = sharded_to_all(f.cx, a, {w.packed.get(), bias}, std::move(residual));
  return {f.read(y), w.values};
}

TEST(ShardedToAll, IsTheProductPlusBiasPlusResidual) {
  for (const Case& c : kCases) {
    const Product actual = product(c, 2, nullptr);
    const std::vector<float> x = test::random_floats(kSeed, kTokens * kK);
    const std::vector<float> bias = test::random_floats(1, kRows);
    const std::vector<float> residual = test::random_floats(2, kTokens * kRows);
    const double code = c.tier == Tier::int8 ? 0.5 / 127 : c.tier == Tier::int15 ? 0.5 / 16256 : 0;
    for (int64_t i = 0; i < kTokens * kRows; ++i) {
      const int64_t t = i / kRows, r = i % kRows;
      double sum = double{bias[r]} + double{residual[i]}, magnitude = 0;
      for (int64_t k = 0; k < kK; ++k) {
        sum += double{x[t * kK + k]} * double{actual.w[r * kK + k]};
        magnitude += std::abs(double{actual.w[r * kK + k]});
      }
      EXPECT_NEAR(actual.y[i], sum, magnitude * (code + kK * 0x1p-24) + 1e-6) << name_of(c.format);
    }
  }
}

/// How many exchanges a sum of 1000 rows takes on three ranks.
struct Travel {
  int64_t tokens;
  int64_t part_bytes;
  int64_t exchanges;
};
const Travel kTravels[] = {{1, 1 << 20, 1},
                           {4, 1 << 20, 1},
                           {4, 24 << 10, 2},     // tiles of 576 and 424 rows
                           {33, 1 << 20, 2},     // one tile, and its results
                           {33, 24 << 10, 17}};  // 16 tiles of 64 rows, and the last one's results

TEST(ShardedToAll, SumsThatTravelHaveTheBitsOfThoseThatDoNot) {
  for (const Case& c : kCases) {
    for (const Travel& travel : kTravels) {
      const std::vector<float> expected = product(c, 1, nullptr, 1.0f, travel.tokens).y;
      for (int threads : {1, 3}) {
        EXPECT_TRUE(test::same_bits(product(c, threads, nullptr, 1.0f, travel.tokens).y, expected));
        run_as_threads(
            3,
            [&](Group& group) {
              EXPECT_TRUE(
                  test::same_bits(product(c, threads, &group, 1.0f, travel.tokens).y, expected))
                  << name_of(c.format) << ", " << travel.tokens << " tokens";
              EXPECT_EQ(group.stats().exchanges, travel.exchanges);
            },
            travel.part_bytes);
      }
    }
  }
}

TEST(ShardedToAll, APartThatHoldsNoTileIsAnError) {
  const auto one_tile = [](Group& group) {
    test::OpsFixture f(1);
    f.cx.mesh.tensor_parallel = &group;
    const test::TestWeight w =
        test::random_weight(*f.device, 1, WeightFormat::f32, 64, 16, Tier::f32);
    const Tensor x = f.tensor(test::random_floats(1, 16 * 16), {16, 16});
    sharded_to_all(f.cx, activations_for(f.cx, x, {w.packed.get()}), {w.packed.get(), {}}, {});
  };
  EXPECT_THROW(run_as_threads(2, one_tile, 16 * 64 * 8), Error);  // and a count
}

std::string failure_of(int threads, Group* group) {
  try {
    product(kCases[2], threads, group, 1e9f);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ShardedToAll, LeavesOutOfRangeAreAnErrorThatNamesTheLayerOnEveryRank) {
  for (int threads : {1, 3}) {
    const std::string alone = failure_of(threads, nullptr);
    EXPECT_EQ(alone.rfind("layer blk.0.ffn_down: ", 0), 0u) << alone;
    run_as_threads(2, [&](Group& group) { EXPECT_EQ(failure_of(threads, &group), alone); });
  }
}

TEST(ShardedToAll, WritesOverAResidualThatNobodyElseHolds) {
  test::OpsFixture f(2);
  const test::TestWeight w = test::random_weight(*f.device, 1, WeightFormat::f32, 8, 16, Tier::f32);
  const Activations x =
      activations_for(f.cx, f.tensor(test::random_floats(1, 16), {1, 16}), {w.packed.get()});
  Tensor residual = f.tensor(test::random_floats(2, 8), {1, 8});
  const float* address = residual.f32();
  const Tensor kept = residual;
  EXPECT_NE(sharded_to_all(f.cx, x, {w.packed.get(), {}}, residual).f32(), address);
  Tensor alone = f.tensor(test::random_floats(2, 8), {1, 8});
  address = alone.f32();
  EXPECT_EQ(sharded_to_all(f.cx, x, {w.packed.get(), {}}, std::move(alone)).f32(), address);
}

}  // namespace
}  // namespace colonnade
