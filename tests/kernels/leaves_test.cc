// Exact sums of leaves of every size, in every table: the definition of docs/numerics.md section 4.
// A weight of ones and leaves of one element make each leaf what the test wants it to be.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kernels/random_operands.h"
#include <gtest/gtest.h>

namespace colonnade::kernels::test {
namespace {

constexpr int64_t kRows = 32;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

int64_t steps_of(float leaf) {
  return static_cast<int64_t>(std::nearbyint(std::ldexp(static_cast<double>(leaf), 36)));
}

/// Leaves of one element, weights of one, [kRows, K] f32.
struct Ones {
  explicit Ones(int64_t k) : panels(kRows * k * 4), ends(k) {
    for (int64_t i = 0; i < k; ++i) ends[i] = static_cast<int32_t>(i + 1);
    for (int64_t i = 0; i < kRows * k; ++i) reinterpret_cast<float*>(panels.data())[i] = 1.0F;
    view = {panels.data(),           k * kLanes * 4, kRows, ends.data(), k,
            static_cast<int32_t>(k), DenseKind::f32};
  }
  AlignedBytes panels;
  std::vector<int32_t> ends;
  DenseView view;
};

/// Every table's sums, results and counts of bad leaves are the definition's; x [tokens, k].
void expect_the_definition(const std::vector<float>& x, int64_t k) {
  Ones ones(k);
  AlignedBytes memory(kScratchBytes);
  const Scratch scratch = {memory.data(), kScratchBytes};
  const int64_t tokens = static_cast<int64_t>(x.size()) / k;
  for (const KernelTable* table : runnable_tables()) {
    std::vector<int64_t> sums(tokens * kRows);
    std::vector<float> y(tokens * kRows);
    int64_t bad_of_sums = 0, bad_of_y = 0, bad = 0;
    table->matmul_dense(
        ones.view, x.data(), k, tokens, {0, 2},
        {.sums = sums.data(), .stride = kRows, .bad_leaves = &bad_of_sums, .exact = 1}, scratch);
    table->matmul_dense(ones.view, x.data(), k, tokens, {0, 2},
                        {.y = y.data(), .stride = kRows, .bad_leaves = &bad_of_y, .exact = 1},
                        scratch);
    for (int64_t t = 0; t < tokens; ++t) {
      uint64_t sum = 0;
      int64_t bad_here = 0;
      for (int64_t i = 0; i < k; ++i) {
        const float leaf = x[t * k + i];
        const bool good = std::abs(leaf) < 0x1p20F;
        bad_here += good ? 0 : kRows;
        if (good) sum += static_cast<uint64_t>(steps_of(leaf));
      }
      bad += bad_here;
      if (bad_here != 0) continue;  // the request fails
      const auto expected = static_cast<int64_t>(sum);
      for (const int64_t row : {int64_t{0}, kRows - 1}) {
        ASSERT_EQ(sums[t * kRows + row], expected)
            << table->name << " token " << t << " of " << tokens;
        ASSERT_EQ(y[t * kRows + row],
                  static_cast<float>(std::ldexp(static_cast<double>(expected), -36)))
            << table->name << " token " << t;
      }
    }
    ASSERT_EQ(bad_of_sums, bad) << table->name;
    ASSERT_EQ(bad_of_y, bad) << table->name;
  }
}

float random_leaf(std::mt19937& random, int lowest, int highest) {
  const int exponent = lowest + static_cast<int>(random() % (highest - lowest + 1));
  return std::ldexp(static_cast<float>(static_cast<int32_t>(random())), exponent - 31);
}

TEST(ExactSums, OfLeavesOfEverySizeAreTheDefinitions) {
  std::mt19937 random(1);
  struct Sizes {
    int lowest, highest;  // exponents of two
  };
  for (const Sizes& sizes :
       {Sizes{-40, -30}, {-45, 8}, {-14, -13}, {-3, 4}, {7, 9}, {8, 11}, {-20, 20}}) {
    for (const int64_t tokens : {1, 2, 13, 40}) {
      for (const int64_t k : {1, 5, 48, 128}) {
        std::vector<float> x(tokens * k);
        for (float& leaf : x) leaf = random_leaf(random, sizes.lowest, sizes.highest);
        expect_the_definition(x, k);
      }
    }
  }
}

TEST(ExactSums, HalfAStepGoesToTheEvenOneWhateverTheSumIs) {
  std::mt19937 random(2);
  for (const int64_t tokens : {1, 13}) {
    std::vector<float> x(tokens * 64);
    for (float& leaf : x) {
      leaf = random() % 3 == 0 ? random_leaf(random, -10, 2)
                               : std::ldexp(static_cast<float>(random() % 65536) - 32768.0F, -37);
    }
    expect_the_definition(x, 64);
  }
}

TEST(ExactSums, MayLeaveAnyRangeAndComeBack) {
  const std::vector<std::vector<float>> walks = {
      {500, 500, 0x1p-36F, -999.5F}, {-511.99F, -0.02F, -0.03F, 512},
      {-1536, 0, 1e-40F, 1500.25F},  {-1536, 0x1.8p-37F, 1, 1535},
      {5000, -5000, 0x1p-13F, 3},    {1048575.9F, -1048575.9F, 1e-3F, -0.0F},
      {0.0F, -0.0F, 0.0F, -0.0F}};
  for (const std::vector<float>& walk : walks) {
    // Alone, and as one token among ordinary ones.
    expect_the_definition(walk, 4);
    std::vector<float> x(30 * 4, 0.3F);
    std::copy(walk.begin(), walk.end(), x.begin() + 17 * 4);
    expect_the_definition(x, 4);
  }
}

TEST(ExactSums, LeavesOutOfRangeAreCountedOneByOne) {
  std::mt19937 random(3);
  for (const float out : {0x1p20F, -0x1p20F, 1e30F, kInfinity, -kInfinity, std::nanf("")}) {
    for (const int64_t tokens : {1, 3, 30}) {
      std::vector<float> x(tokens * 20);
      for (float& leaf : x) leaf = random_leaf(random, -10, 3);
      x[7] = x[8] = out;
      x[x.size() - 1] = -out;
      expect_the_definition(x, 20);
    }
  }
}

TEST(ExactSums, MayHaveMoreLeavesThanTheQuickWayCounts) {
  for (const int64_t tokens : {1, 2}) {
    std::vector<float> x(tokens * 700);
    std::mt19937 random(4);
    for (float& leaf : x) leaf = random_leaf(random, -16, -13);
    expect_the_definition(x, 700);
    std::fill(x.begin(), x.end(), 0x1.fffffep-15F);  // the low part at its largest
    expect_the_definition(x, 700);
    x.resize(tokens * 500);
    expect_the_definition(x, 500);
  }
}

/// Grouped weights: token 3 has activations that take its sums out of the quick way's range.
TEST(ExactSums, OfGroupedWeightsAreTheScalarTablesForEveryToken) {
  std::mt19937 random(5);
  const Plan plan = make_plan(std::vector<std::vector<int32_t>>(20, {32}), 8);
  const int64_t rows = 16 * 5 + 3, panels = 6;
  AlignedBytes memory(kScratchBytes);
  const Scratch scratch = {memory.data(), kScratchBytes};
  for (int kind = 0; kind < static_cast<int>(GroupedKind::count); ++kind) {
    const GroupedOperand w = random_grouped(random, static_cast<GroupedKind>(kind), rows, plan);
    for (const int64_t tokens : {1, 7, 50}) {
      std::vector<float> x = random_floats(random, tokens * plan.k, 0.01F);
      for (int64_t i = 0; i < plan.k; ++i) x[(tokens > 3 ? 3 : 0) * plan.k + i] *= 3000.0F;
      Codes codes = make_codes(tokens, static_cast<int64_t>(plan.runs.size()), false);
      const KernelTable& scalar = *table_for(Isa::scalar);
      for (int64_t t = 0; t < tokens; ++t) {
        scalar.quantize(x.data() + t * plan.k, plan.view(), codes.view, t, {0, codes.view.blocks});
      }
      std::vector<int64_t> expected;
      for (const KernelTable* table : runnable_tables()) {
        std::vector<int64_t> sums(tokens * rows), f32_sums(tokens * rows);
        int64_t bad = 0;
        if (!float_codes(p16_format(w.view.kind))) {
          table->matmul_grouped(
              w.view, codes.view, {0, panels},
              {.sums = sums.data(), .stride = rows, .bad_leaves = &bad, .exact = 1}, scratch);
        }
        table->matmul_grouped_f32(
            w.view, x.data(), plan.k, tokens, {0, panels},
            {.sums = f32_sums.data(), .stride = rows, .bad_leaves = &bad, .exact = 1}, scratch);
        sums.insert(sums.end(), f32_sums.begin(), f32_sums.end());
        if (expected.empty()) expected = sums;  // the scalar table is the first
        ASSERT_EQ(sums, expected) << table->name << " kind " << kind << " tokens " << tokens;
        ASSERT_EQ(bad, 0) << table->name;
      }
      const auto [least, most] = std::minmax_element(expected.begin(), expected.end());
      ASSERT_GT(std::max(-*least, *most), int64_t{1} << 45) << "beyond the quick way";
    }
  }
}

}  // namespace
}  // namespace colonnade::kernels::test
