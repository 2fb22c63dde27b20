#include "colonnade/ops/matmul.h"

#include <algorithm>
#include <cmath>

#include "tests/ops/ops_fixture.h"
#include "tests/support/bits.h"
#include "tests/support/random.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 9;

struct Case {
  WeightFormat format;
  Tier tier;
};
const Case kCases[] = {{WeightFormat::f32, Tier::f32},
                       {WeightFormat::bf16, Tier::f32},
                       {WeightFormat::f16, Tier::f32},
                       {WeightFormat::q4_0, Tier::int8},
                       {WeightFormat::q4_1, Tier::int15},
                       {WeightFormat::q8_0, Tier::f32},
                       {WeightFormat::q4_k, Tier::int8},
                       {WeightFormat::q6_k, Tier::int15},
                       {WeightFormat::q2_k, Tier::int8},
                       {WeightFormat::q3_k, Tier::f32},
                       {WeightFormat::mxfp4, Tier::int8},
                       {WeightFormat::iq4_xs, Tier::int15},
                       {WeightFormat::nvfp4, Tier::int8},
                       {WeightFormat::nvfp4, Tier::f32},
                       {WeightFormat::mxfp8, Tier::f32},
                       {*affine_format({4, 64, ScaleType::bf16}), Tier::int8},
                       {*affine_format({3, 128, ScaleType::f32}), Tier::int15}};

/// Largest code of a tier: an activation is off by at most amax / (2 L) per element.
double code_error(Tier tier) {
  return tier == Tier::int8 ? 0.5 / 127 : tier == Tier::int15 ? 0.5 / 16256 : 0.0;
}

TEST(Matmul, IsXTimesWTransposedPlusBiasWithinTheTiersError) {
  constexpr int64_t kTokens = 6, kRows = 70, kK = 768;
  for (const Case& c : kCases) {
    test::OpsFixture f(3);
    const test::TestWeight w = test::random_weight(*f.device, kSeed, c.format, kRows, kK, c.tier);
    const std::vector<float> x = test::random_floats(kSeed, kTokens * kK);
    const std::vector<float> bias = test::random_floats(kSeed + 1, kRows);
    const Activations a = activations_for(f.cx, f.tensor(x, {kTokens, kK}), {w.packed.get()});
    const std::vector<float> y =
        f.read(matmul(f.cx, a, {{w.packed.get(), f.tensor(bias, {kRows})}}));
    for (int64_t t = 0; t < kTokens; ++t) {
      for (int64_t r = 0; r < kRows; ++r) {
        double sum = bias[r], magnitude = 0;
        for (int64_t k = 0; k < kK; ++k) {
          const double product = double{x[t * kK + k]} * double{w.values[r * kK + k]};
          sum += product;
          magnitude += std::abs(double{w.values[r * kK + k]});  // |x| <= 1
        }
        const double tolerance = magnitude * (code_error(c.tier) + kK * 0x1p-24) + 1e-6;
        ASSERT_NEAR(y[t * kRows + r], sum, tolerance) << name_of(c.format) << " " << t << " " << r;
      }
    }
  }
}

TEST(Matmul, TermsStandSideBySideWithTheBitsOfEachAlone) {
  constexpr int64_t kTokens = 3, kK = 256;
  test::OpsFixture f(2);
  const test::TestWeight a =
      test::random_weight(*f.device, 1, WeightFormat::q4_k, 48, kK, Tier::int8);
  const test::TestWeight b =
      test::random_weight(*f.device, 2, WeightFormat::bf16, 20, kK, Tier::f32);
  const Tensor bias = f.tensor(test::random_floats(3, 20), {20});
  const Activations x =
      activations_for(f.cx, f.tensor(test::random_floats(kSeed, kTokens * kK), {kTokens, kK}),
                      {a.packed.get(), b.packed.get()});
  const std::vector<float> both =
      f.read(matmul(f.cx, x, {{a.packed.get(), {}}, {b.packed.get(), bias}}));
  const std::vector<float> first = f.read(matmul(f.cx, x, {{a.packed.get(), {}}}));
  const std::vector<float> second = f.read(matmul(f.cx, x, {{b.packed.get(), bias}}));
  std::vector<float> expected;
  for (int64_t t = 0; t < kTokens; ++t) {
    expected.insert(expected.end(), first.begin() + t * 48, first.begin() + (t + 1) * 48);
    expected.insert(expected.end(), second.begin() + t * 20, second.begin() + (t + 1) * 20);
  }
  EXPECT_TRUE(test::same_bits(both, expected));
}

TEST(Matmul, RefusesABiasOfAnotherSizeAndNoTerms) {
  test::OpsFixture f(1);
  const test::TestWeight w = test::random_weight(*f.device, 1, WeightFormat::f32, 8, 16, Tier::f32);
  const Activations x =
      activations_for(f.cx, f.tensor(test::random_floats(1, 16), {1, 16}), {w.packed.get()});
  EXPECT_THROW(matmul(f.cx, x, {{w.packed.get(), f.tensor(test::random_floats(1, 7), {7})}}),
               Error);
  EXPECT_THROW(matmul(f.cx, x, {}), Error);
}

struct GluCase {
  WeightFormat gate;
  WeightFormat consumer;
  Tier tier;
  int64_t leaf;
};

/// down(glu(x)) with the fused op, or with gate and up as two products, act and codes apart.
std::vector<float> glu_then_down(const GluCase& c, int64_t tokens, int threads, bool fused) {
  constexpr int64_t kK = 256, kF = 288;
  test::OpsFixture f(threads);
  const Tier gate_tier = is_grouped(c.gate) ? Tier::int8 : Tier::f32;
  const test::TestWeight gate = test::random_weight(*f.device, 1, c.gate, kF, kK, gate_tier);
  const test::TestWeight up = test::random_weight(*f.device, 2, c.gate, kF, kK, gate_tier);
  const KPlan plan(c.consumer, KCut{kF, {0, kF}, c.leaf});
  const test::TestWeight down =
      test::random_weight(*f.device, 3, WeightSpec{"down", c.consumer, 40, plan, c.tier});
  const Tensor bias = f.tensor(test::random_floats(4, kF), {kF});
  const Activations x = activations_for(
      f.cx, f.tensor(test::random_floats(kSeed, tokens * kK), {tokens, kK}), {gate.packed.get()});
  const Term gate_term{gate.packed.get(), bias}, up_term{up.packed.get(), {}};
  if (fused) {
    const Activations h = hidden_matmul(f.cx, x, {gate_term, up_term}, *down.packed);
    return f.read(matmul(f.cx, h, {{down.packed.get(), {}}}));
  }
  const Tensor g = matmul(f.cx, x, {gate_term});
  const Tensor u = matmul(f.cx, x, {up_term});
  GluCommand glu;
  glu.gate = g.f32();
  glu.up = u.f32();
  glu.paired_rows = 32;
  glu.out.tokens = tokens;
  glu.out.k = kF;
  f.device->launch(glu, Sync::meet);
  const Activations h = activations_for(f.cx, g, {down.packed.get()});
  return f.read(matmul(f.cx, h, {{down.packed.get(), {}}}));
}

TEST(GluMatmul, HasTheBitsOfItsParts) {
  const GluCase cases[] = {{WeightFormat::q4_0, WeightFormat::q4_0, Tier::int8, 32},
                           {WeightFormat::q4_k, WeightFormat::q8_0, Tier::int15, 96},
                           {WeightFormat::bf16, WeightFormat::bf16, Tier::f32, 8},
                           {WeightFormat::bf16, WeightFormat::q8_0, Tier::int8, 32},
                           {WeightFormat::q4_0, WeightFormat::q8_0, Tier::int8, 48}};
  for (const GluCase& c : cases) {
    for (int64_t tokens : {1, 9}) {
      const std::vector<float> expected = glu_then_down(c, tokens, 1, false);
      for (int threads : {1, 2, 3, 7}) {
        EXPECT_TRUE(test::same_bits(glu_then_down(c, tokens, threads, true), expected))
            << name_of(c.gate) << " " << name_of(c.consumer) << " " << threads << " threads";
      }
    }
  }
}

TEST(GluMatmul, IsSiluOfGateTimesUp) {
  constexpr int64_t kK = 64, kF = 64;
  test::OpsFixture f(2);
  const test::TestWeight gate =
      test::random_weight(*f.device, 1, WeightFormat::f32, kF, kK, Tier::f32);
  const test::TestWeight up =
      test::random_weight(*f.device, 2, WeightFormat::f32, kF, kK, Tier::f32);
  const test::TestWeight down =
      test::random_weight(*f.device, 3, WeightFormat::f32, 1, kF, Tier::f32);
  const std::vector<float> x = test::random_floats(kSeed, kK, 10.0f);
  const Activations a = activations_for(f.cx, f.tensor(x, {1, kK}), {gate.packed.get()});
  const Activations h =
      hidden_matmul(f.cx, a, {.gate = {gate.packed.get()}, .up = {up.packed.get()}}, *down.packed);
  const std::vector<float> actual = f.read(h.values);
  for (int64_t r = 0; r < kF; ++r) {
    double g = 0, u = 0;
    for (int64_t k = 0; k < kK; ++k) {
      g += double{x[k]} * double{gate.values[r * kK + k]};
      u += double{x[k]} * double{up.values[r * kK + k]};
    }
    EXPECT_NEAR(actual[r], g / (1 + std::exp(-g)) * u, 1e-4);
  }
}

}  // namespace
}  // namespace colonnade
