// Kernels over one row against their definitions written out here, through every table that this
// CPU runs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/kernels/random_operands.h"
#include "tests/support/bits.h"
#include <gtest/gtest.h>

namespace colonnade::kernels::test {
namespace {

using colonnade::test::same_bits;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
/// Row lengths around every multiple of 16 that matters: below a vector, one, two, odd tails.
constexpr int64_t kLengths[] = {1, 5, 15, 16, 17, 31, 32, 33, 47, 48, 64, 79, 576, 1003};

// --- activation codes ---

int32_t magnitude_bits(float x) { return __builtin_bit_cast(int32_t, x) & 0x7fffffff; }

/// The definition of docs/numerics.md section 3, one token.
Codes reference_codes(const std::vector<float>& x, const Plan& plan, bool int15) {
  Codes c = make_codes(1, static_cast<int64_t>(plan.runs.size()), int15);
  const float limit = int15 ? 16256.0F : 127.0F;
  for (size_t b = 0; b < plan.runs.size(); ++b) {
    int32_t amax_bits = 0;
    for (const Run& run : plan.runs) {
      if (run.group != plan.runs[b].group) continue;
      for (int i = 0; i < run.length; ++i) {
        amax_bits = std::max(amax_bits, magnitude_bits(x[run.k_begin + i]));
      }
    }
    const float amax = __builtin_bit_cast(float, amax_bits);
    const bool tiny = amax < 0x1p-100F;
    const float scale = tiny ? 0.0F : amax / limit, inverse = tiny ? 0.0F : limit / amax;
    int32_t half_sums[2] = {0, 0};
    for (int i = 0; i < plan.runs[b].length; ++i) {
      const float scaled = std::nearbyint(x[plan.runs[b].k_begin + i] * inverse);
      const int q = static_cast<int>(std::min(std::max(scaled, -limit), limit));
      half_sums[i / 16] += q;
      const int hi = int15 ? (q + 64) >> 7 : q;
      c.hi[kBlock * b + i] = static_cast<int8_t>(hi);
      if (int15) c.lo[kBlock * b + i] = static_cast<int8_t>(q - 128 * hi);
    }
    c.scale[b] = scale;
    c.scaled_sum[b] = scale * static_cast<float>(half_sums[0] + half_sums[1]);
    c.half_sums[2 * b] = half_sums[0];
    c.half_sums[2 * b + 1] = half_sums[1];
  }
  return c;
}

std::vector<Plan> code_plans() {
  return {make_plan({std::vector<int32_t>(16, 32), {32, 32}}, 8),
          make_plan({{32, 32, 16}, {16, -16, 16, -16, 16}, {32, 32, 16}}, 2),  // heads of 80
          make_plan({{7}, {3, -20, 31}, {1}, {17, -9, -6}}, 1)};
}

/// Rows that reach every branch: plain, with an outlier, with zero and tiny groups, with exact
/// halves, with negative zero and denormals.
std::vector<float> awkward_row(std::mt19937& random, int64_t k) {
  std::vector<float> x = random_floats(random, k);
  for (int64_t i = 0; i < k; ++i) {
    switch (random() % 24) {
      case 0:
        x[i] *= 1000.0F;
        break;
      case 1:
        x[i] = -0.0F;
        break;
      case 2:
        x[i] = 1e-40F;
        break;
      case 3:
        x[i] = 63.5F;
        break;
      case 4:
        x[i] = 127.0F;
        break;
      default:
        break;
    }
  }
  const float quiet = random() % 2 == 0 ? 0x1.fp-101F : 0x1p-100F;
  if (random() % 2 == 0) {
    for (int64_t i = 0; i < std::min<int64_t>(k, 32); ++i) x[i] = i % 2 == 0 ? quiet : -quiet;
  }
  return x;
}

TEST(Quantize, CodesScalesAndSumsAreThoseOfTheDefinition) {
  std::mt19937 random(11);
  for (const Plan& plan : code_plans()) {
    for (int round = 0; round < 40; ++round) {
      const bool int15 = round % 2 == 1;
      const std::vector<float> x = awkward_row(random, plan.k);
      const Codes expected = reference_codes(x, plan, int15);
      const auto blocks = static_cast<int64_t>(plan.runs.size());
      for (const KernelTable* table : runnable_tables()) {
        Codes c = make_codes(3, blocks, int15);  // the row is token 1 of 3
        ASSERT_EQ(table->quantize(x.data(), plan.view(), c.view, 1, {0, blocks}), 0);
        for (int64_t b = 0; b < blocks; ++b) {
          const int64_t at = 3 * b + 1;
          for (int i = 0; i < kBlock; ++i) {
            ASSERT_EQ(c.hi[kBlock * at + i], expected.hi[kBlock * b + i]) << table->name;
            if (int15) {
              ASSERT_EQ(c.lo[kBlock * at + i], expected.lo[kBlock * b + i]) << table->name;
            }
            ASSERT_EQ(c.hi[kBlock * (at - 1) + i], 0) << "token 0 is another's";
            ASSERT_EQ(c.hi[kBlock * (at + 1) + i], 0) << "token 2 is another's";
          }
          ASSERT_EQ(c.scale[at], expected.scale[b]) << table->name;
          ASSERT_EQ(c.scaled_sum[at], expected.scaled_sum[b]) << table->name;
          ASSERT_EQ(c.half_sums[6 * b + 1], expected.half_sums[2 * b]) << table->name;
          ASSERT_EQ(c.half_sums[6 * b + 4], expected.half_sums[2 * b + 1]) << table->name;
        }
      }
    }
  }
}

TEST(Quantize, WritesOnlyTheBlocksThatItWasGiven) {
  std::mt19937 random(12);
  const Plan plan = make_plan({std::vector<int32_t>(8, 32)}, 8);
  const std::vector<float> x = random_floats(random, plan.k);
  for (const KernelTable* table : runnable_tables()) {
    Codes c = make_codes(1, 8, false);
    table->quantize(x.data(), plan.view(), c.view, 0, {2, 5});
    for (int64_t b = 0; b < 8; ++b) EXPECT_EQ(c.scale[b] != 0.0F, b >= 2 && b < 5) << table->name;
  }
}

TEST(Quantize, AnInfiniteOrMissingNumberHasNoCodes) {
  std::mt19937 random(13);
  for (const Plan& plan : code_plans()) {
    const auto blocks = static_cast<int64_t>(plan.runs.size());
    for (const float bad : {kInf, -kInf, kNaN, -kNaN}) {
      for (const int64_t at : {int64_t{0}, plan.k / 2, plan.k - 1}) {
        std::vector<float> x = random_floats(random, plan.k);
        x[at] = bad;
        for (const KernelTable* table : runnable_tables()) {
          Codes c = make_codes(1, blocks, false);
          EXPECT_EQ(table->quantize(x.data(), plan.view(), c.view, 0, {0, blocks}), 1)
              << table->name << " " << bad << " at " << at;
        }
      }
    }
  }
}

// --- norms and gated units ---

/// A row's sum by the tree of docs/numerics.md section 2.
float tree_of_squares(const std::vector<float>& x) {
  float lane[2][16] = {};
  for (size_t i = 0; i < x.size(); ++i) {
    float& a = lane[i / 16 % 2][i % 16];
    a = std::fma(x[i], x[i], a);
  }
  float sum[16];
  for (int i = 0; i < 16; ++i) sum[i] = lane[0][i] + lane[1][i];
  for (int distance = 8; distance > 0; distance /= 2) {
    for (int i = 0; i < distance; ++i) sum[i] = sum[i] + sum[i + distance];
  }
  return sum[0];
}

TEST(RmsNorm, IsItsDefinitionWithTheTreeOfSums) {
  std::mt19937 random(21);
  for (const int64_t cols : kLengths) {
    const std::vector<float> x = random_floats(random, cols, 3.0F);
    const std::vector<float> weight = random_floats(random, cols);
    const float mean = tree_of_squares(x) / static_cast<float>(cols);
    const float inverse = 1.0F / std::sqrt(mean + 1e-5F);
    std::vector<float> plain(cols), weighted(cols);
    for (int64_t i = 0; i < cols; ++i) {
      plain[i] = x[i] * inverse;
      weighted[i] = plain[i] * weight[i];
    }
    for (const KernelTable* table : runnable_tables()) {
      std::vector<float> y(cols), in_place = x;
      table->rms_norm(y.data(), x.data(), weight.data(), cols, 1e-5F);
      EXPECT_TRUE(same_bits(y, weighted)) << table->name << " " << cols;
      table->rms_norm(in_place.data(), in_place.data(), nullptr, cols, 1e-5F);
      EXPECT_TRUE(same_bits(in_place, plain)) << table->name << " " << cols;
    }
  }
}

TEST(LayerNorm, IsItsDefinitionAndTheSameOnEveryTable) {
  std::mt19937 random(24);
  for (const int64_t cols : kLengths) {
    std::vector<float> x = random_floats(random, cols, 3.0F);
    for (float& value : x) value += 10.0F;  // a mean that matters
    const std::vector<float> weight = random_floats(random, cols),
                             bias = random_floats(random, cols);
    double mean = 0, variance = 0;
    for (const float value : x) mean += double{value} / static_cast<double>(cols);
    for (const float value : x)
      variance += (double{value} - mean) * (double{value} - mean) / static_cast<double>(cols);
    std::vector<float> first(cols);
    table_for(Isa::scalar)
        ->layer_norm(first.data(), x.data(), weight.data(), bias.data(), cols, 1e-5F);
    for (int64_t i = 0; i < cols; ++i) {
      const double inverse = 1 / std::sqrt(variance + 1e-5);
      const double exact = (double{x[i]} - mean) * inverse * double{weight[i]} + double{bias[i]};
      // The mean's rounding, 2^-22 of 10, is magnified as the deviations are.
      const double error = (20 * inverse + 8) * static_cast<double>(cols) * 0x1p-24;
      EXPECT_NEAR(first[i], exact, error) << cols;
    }
    for (const KernelTable* table : runnable_tables()) {
      std::vector<float> y = x;
      table->layer_norm(y.data(), y.data(), weight.data(), bias.data(), cols, 1e-5F);
      EXPECT_TRUE(same_bits(y, first)) << table->name << " " << cols;
    }
  }
}

/// Gates from everywhere: the usual range densely, and the ends.
std::vector<float> gates(std::mt19937& random, int64_t count) {
  std::vector<float> g = random_floats(random, count, 4.0F);
  for (int64_t i = 0; i < count; i += 7) g[i] *= 20.0F;
  return g;
}

double silu64(double x) { return x / (1.0 + std::exp(-x)); }
/// x (1 + tanh(u)) / 2 = x / (1 + e^(-2u)), which does not cancel.
double gelu64(double x) {
  constexpr double kTwoRootTwoOverPi = 1.59576912160573071176;
  return x / (1.0 + std::exp(-kTwoRootTwoOverPi * (x + 0.044715 * x * x * x)));
}

// Relative error of exp: Taylor's remainder 2^-27, the last FMA 2^-24, what is left of the reduced
// argument's and the sum's roundings another 2^-23: below 2^-22. Then 1 + e, the division and the
// product with `up`: 3 * 2^-24.
constexpr double kSiluError = 0x1p-22 + 3 * 0x1p-24;

TEST(Swiglu, IsAccurateAndTheSameOnEveryTable) {
  std::mt19937 random(22);
  for (const int64_t count : kLengths) {
    const std::vector<float> gate = gates(random, count), up = random_floats(random, count);
    std::vector<float> first(count);
    table_for(Isa::scalar)
        ->activate(ActivationKind::silu, first.data(), gate.data(), up.data(), count);
    for (int64_t i = 0; i < count; ++i) {
      const double exact = silu64(gate[i]) * up[i];
      // Below -87 the definition's exp stops at e^88: an absolute error that no f32 sum sees.
      EXPECT_NEAR(first[i], exact, std::abs(exact) * kSiluError + 1e-34) << gate[i];
    }
    for (const KernelTable* table : runnable_tables()) {
      std::vector<float> h = gate;
      table->activate(ActivationKind::silu, h.data(), h.data(), up.data(), count);
      EXPECT_TRUE(same_bits(h, first)) << table->name << " " << count;
    }
  }
}

TEST(Geglu, IsAccurateAndTheSameOnEveryTable) {
  std::mt19937 random(23);
  for (const int64_t count : kLengths) {
    const std::vector<float> gate = gates(random, count), up = random_floats(random, count);
    std::vector<float> first(count);
    table_for(Isa::scalar)
        ->activate(ActivationKind::gelu_tanh, first.data(), gate.data(), up.data(), count);
    for (int64_t i = 0; i < count; ++i) {
      const double x = gate[i], exact = gelu64(x) * up[i];
      // exp multiplies its argument's error: 4 roundings and 2 rounded constants, 2^-24 each.
      const double u = std::abs(1.59576912 * (x + 0.044715 * x * x * x));
      const double relative = kSiluError + std::min(u, 100.0) * 6 * 0x1p-24;
      EXPECT_NEAR(first[i], exact, std::abs(exact) * relative + 1e-34) << x;
    }
    for (const KernelTable* table : runnable_tables()) {
      std::vector<float> h = gate;
      table->activate(ActivationKind::gelu_tanh, h.data(), h.data(), up.data(), count);
      EXPECT_TRUE(same_bits(h, first)) << table->name << " " << count;
    }
  }
}

double clamped64(double g, double u) {
  g = std::min(g, 7.0);
  return g / (1 + std::exp(-1.702 * g)) * (std::clamp(u, -7.0, 7.0) + 1);
}

TEST(Activate, ErfReluAndTheClampedUnitAreAccurateAndTheSameOnEveryTable) {
  std::mt19937 random(25);
  const auto exact = [](ActivationKind kind, double g, double u) {
    if (kind == ActivationKind::gelu_erf) return g * (1 + std::erf(g / std::sqrt(2.0))) / 2 * u;
    return kind == ActivationKind::relu ? std::max(g, 0.0) * u : clamped64(g, u);
  };
  for (const ActivationKind kind :
       {ActivationKind::gelu_erf, ActivationKind::relu, ActivationKind::clamped_silu}) {
    for (const int64_t count : kLengths) {
      const std::vector<float> gate = gates(random, count), up = random_floats(random, count, 9.0F);
      std::vector<float> first(count);
      table_for(Isa::scalar)->activate(kind, first.data(), gate.data(), up.data(), count);
      for (int64_t i = 0; i < count; ++i) {
        const double expected = exact(kind, gate[i], up[i]);
        // 1.5e-7 of the formula of erf, times x; the clamped unit's exponent is at most 12 wide.
        const double error = (std::abs(gate[i]) * 4e-7 + 1e-6) * (std::abs(up[i]) + 1);
        EXPECT_NEAR(first[i], expected, error) << gate[i] << " " << up[i];
      }
      for (const KernelTable* table : runnable_tables()) {
        std::vector<float> h = gate;
        table->activate(kind, h.data(), h.data(), up.data(), count);
        EXPECT_TRUE(same_bits(h, first)) << table->name << " " << count;
      }
    }
  }
}

TEST(Activate, KeepsANaNOfEitherFactor) {
  for (const KernelTable* table : runnable_tables()) {
    for (const ActivationKind kind :
         {ActivationKind::silu, ActivationKind::gelu_tanh, ActivationKind::gelu_erf,
          ActivationKind::relu, ActivationKind::clamped_silu}) {
      std::vector<float> gate = {kNaN, 1.0F}, h(2);
      const std::vector<float> up = {1.0F, kNaN};
      table->activate(kind, h.data(), gate.data(), up.data(), 2);
      EXPECT_TRUE(std::isnan(h[0]) && std::isnan(h[1])) << table->name << static_cast<int>(kind);
      table->activate(kind, h.data(), gate.data(), nullptr, 2);
      EXPECT_TRUE(std::isnan(h[0]) && h[1] > 0) << table->name << static_cast<int>(kind);
    }
  }
}

TEST(Exp, IsExactAtZeroVanishesFarBelowAndKeepsNaN) {
  // silu(x) = x / (1 + exp(-x)) shows exp of anything.
  const std::vector<float> gate = {0.0F, -0.0F, 0x1p-40F, 88.0F, 1000.0F, kInf, kNaN, -1000.0F};
  const std::vector<float> up(gate.size(), 1.0F);
  for (const KernelTable* table : runnable_tables()) {
    std::vector<float> h(gate.size());
    table->activate(ActivationKind::silu, h.data(), gate.data(), up.data(),
                    static_cast<int64_t>(gate.size()));
    EXPECT_EQ(h[0], 0.0F) << table->name;
    EXPECT_EQ(h[2], 0x1p-41F) << table->name << ": exp(0) is exactly 1";
    EXPECT_EQ(h[3], 88.0F) << table->name << ": exp(-88) is 0";
    EXPECT_EQ(h[4], 1000.0F) << table->name;
    EXPECT_EQ(h[5], kInf) << table->name;
    EXPECT_TRUE(std::isnan(h[6])) << table->name;
    EXPECT_LE(std::abs(h[7]), 1e-34F) << table->name;
  }
}

// --- rotation, sums, maximum, cache ---

TEST(Rope, RotatesPairsOfBothLayoutsAndLeavesTheRest) {
  std::mt19937 random(31);
  for (const int32_t rotary : {2, 8, 16, 20, 32, 46, 64, 80, 96, 128}) {
    const int32_t half = rotary / 2, dim = rotary + 5;
    const std::vector<float> x = random_floats(random, dim);
    std::vector<float> c(half), s(half);
    for (int32_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(random() % 6283) / 1000.0;
      c[i] = static_cast<float>(std::cos(angle));
      s[i] = static_cast<float>(std::sin(angle));
    }
    for (const RopeLayout layout : {RopeLayout::half, RopeLayout::interleaved}) {
      std::vector<float> expected = x;
      for (int32_t i = 0; i < half; ++i) {
        const int32_t at = layout == RopeLayout::half ? i : 2 * i;
        const int32_t other = layout == RopeLayout::half ? half + i : 2 * i + 1;
        expected[at] = std::fma(-x[other], s[i], x[at] * c[i]);
        expected[other] = std::fma(x[at], s[i], x[other] * c[i]);
      }
      for (const KernelTable* table : runnable_tables()) {
        std::vector<float> y = x;
        table->rope(y.data(), c.data(), s.data(), rotary, layout);
        EXPECT_TRUE(same_bits(y, expected)) << table->name << " rotary " << rotary;
      }
    }
  }
}

TEST(FinishSums, RoundsTwiceThenAddsBiasThenResidual) {
  std::mt19937_64 random(33);
  std::mt19937 floats(33);
  for (const int64_t count : kLengths) {
    std::vector<int64_t> sums(count), more(count), third(count);
    for (int64_t& s : sums) s = static_cast<int64_t>(random()) >> random() % 60;
    for (int64_t i = 0; i < count; ++i) {
      more[i] = static_cast<int64_t>(random());  // what wraps around comes back
      third[i] = static_cast<int64_t>(0 - static_cast<uint64_t>(more[i]));
    }
    const int64_t* const ranks[] = {more.data(), sums.data(), third.data()};
    const int64_t* const one[] = {sums.data()};
    const std::vector<float> bias = random_floats(floats, count);
    const std::vector<float> residual = random_floats(floats, count);
    std::vector<float> bare(count), full(count);
    for (int64_t i = 0; i < count; ++i) {
      bare[i] = static_cast<float>(std::ldexp(static_cast<double>(sums[i]), -36));
      full[i] = (bare[i] + bias[i]) + residual[i];
    }
    for (const KernelTable* table : runnable_tables()) {
      std::vector<float> y(count), in_place = residual;
      table->finish_sums(y.data(), one, 1, nullptr, nullptr, count);
      EXPECT_TRUE(same_bits(y, bare)) << table->name << " " << count;
      table->finish_sums(in_place.data(), ranks, 3, bias.data(), in_place.data(), count);
      EXPECT_TRUE(same_bits(in_place, full)) << table->name << " " << count;
    }
  }
}

uint16_t rounded_bf16(float x) {
  const auto bits = __builtin_bit_cast(uint32_t, x);
  if (std::isnan(x)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  const uint32_t rest = bits & 0xffff, kept = bits >> 16;
  const bool up = rest > 0x8000 || (rest == 0x8000 && kept % 2 == 1);
  return static_cast<uint16_t>(kept + (up ? 1 : 0));
}

TEST(AppendKv, PutsKeysInPanelsOfPositionsAndValuesInRows) {
  std::mt19937 random(35);
  for (const int32_t dim : {16, 40, 64, 80, 128}) {
    const int64_t padded = (dim + 15) / 16 * 16;
    for (const int32_t slot : {0, 15, 16, 37, 63}) {
      std::vector<float> key(dim), value(dim);
      for (int32_t d = 0; d < dim; ++d) {
        key[d] = __builtin_bit_cast(float, static_cast<uint32_t>(random()));
        value[d] = __builtin_bit_cast(float, static_cast<uint32_t>(random()));
      }
      key[1] = 0x1.01p0F;  // halfway between two bf16: to the even one below
      value[2] = 1e-40F;   // a denormal stays
      value[3] = kNaN;
      for (const KernelTable* table : runnable_tables()) {
        std::vector<float> keys(kPage * dim), values(kPage * padded, 7.0F);
        table->append_kv({keys.data(), values.data()}, slot, key.data(), value.data(), dim,
                         CacheKind::f32);
        std::vector<uint16_t> keys16(kPage * dim), values16(kPage * padded, 7);
        table->append_kv({keys16.data(), values16.data()}, slot, key.data(), value.data(), dim,
                         CacheKind::bf16);
        for (int32_t d = 0; d < dim; ++d) {
          const int64_t at = (int64_t{slot / 16} * dim + d) * 16 + slot % 16;
          ASSERT_EQ(std::memcmp(&keys[at], &key[d], 4), 0) << table->name;
          ASSERT_EQ(std::memcmp(&values[slot * padded + d], &value[d], 4), 0) << table->name;
          ASSERT_EQ(keys16[at], rounded_bf16(key[d])) << table->name;
          ASSERT_EQ(values16[slot * padded + d], rounded_bf16(value[d])) << table->name;
        }
        for (int64_t d = dim; d < padded; ++d) {
          ASSERT_EQ(values[slot * padded + d], 0.0F) << table->name << ": padding is zero";
          ASSERT_EQ(values16[slot * padded + d], 0) << table->name << ": padding is zero";
        }
        if (slot + 1 < kPage) {
          ASSERT_EQ(values[(slot + 1) * padded], 7.0F) << "another's slot";
        }
      }
    }
  }
}

}  // namespace
}  // namespace colonnade::kernels::test
