#include "colonnade/ops/norm.h"

#include <cmath>

#include "tests/ops/ops_fixture.h"
#include "tests/support/bits.h"
#include "tests/support/random.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/ops/matmul.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 4;
constexpr int64_t kCols = 96;
constexpr float kEps = 1e-5f;

TEST(RmsNorm, IsXOverItsRootMeanSquareTimesWeight) {
  test::OpsFixture f(2);
  const std::vector<float> x = test::random_floats(kSeed, 5 * kCols, 3.0f);
  const std::vector<float> w = test::random_floats(kSeed + 1, kCols);
  const std::vector<float> y =
      f.read(norm(f.cx, f.tensor(x, {5, kCols}), {.weight = f.tensor(w, {kCols}), .eps = kEps}));
  for (int64_t t = 0; t < 5; ++t) {
    double squares = 0;
    for (int64_t i = 0; i < kCols; ++i) squares += std::pow(double{x[t * kCols + i]}, 2);
    for (int64_t i = 0; i < kCols; ++i) {
      const double expected =
          x[t * kCols + i] / std::sqrt(squares / kCols + double{kEps}) * double{w[i]};
      EXPECT_NEAR(y[t * kCols + i], expected, 1e-6 * std::abs(expected) + 1e-9);
    }
  }
}

/// A norm and the product behind it, at once and step by step.
TEST(RmsNorm, ForConsumersHasTheBitsOfTheNormThenTheCodes) {
  for (int threads : {1, 2, 3, 7}) {
    for (int64_t tokens : {1, 5, 400}) {  // replicated, and divided by tokens
      test::OpsFixture f(threads);
      const test::TestWeight codes =
          test::random_weight(*f.device, kSeed, WeightFormat::q4_0, 40, kCols, Tier::int8);
      const test::TestWeight values =
          test::random_weight(*f.device, kSeed, WeightFormat::bf16, 70, kCols, Tier::f32);
      const Tensor x = f.tensor(test::random_floats(kSeed, tokens * kCols), {tokens, kCols});
      const Tensor w = f.tensor(test::random_floats(kSeed + 1, kCols), {kCols});
      const NormParams params{.weight = w, .eps = kEps};
      const std::initializer_list<const Weight*> both{codes.packed.get(), values.packed.get()};
      const std::vector<Term> terms{{codes.packed.get(), {}}, {values.packed.get(), {}}};

      const Activations fused = norm_for(f.cx, x, params, both);
      const Tensor y = matmul(f.cx, fused, {terms[0], terms[1]});
      const Activations plain = activations_for(f.cx, norm(f.cx, x, params), both);
      const Tensor expected = matmul(f.cx, plain, {terms[0], terms[1]});
      EXPECT_TRUE(test::same_bits(f.read(y), f.read(expected))) << threads << " " << tokens;
    }
  }
}

TEST(RmsNorm, RefusesAWeightOfAnotherWidth) {
  test::OpsFixture f(1);
  const Tensor x = f.tensor(test::random_floats(kSeed, 64), {2, 32});
  EXPECT_THROW(norm(f.cx, x, {.weight = f.tensor(test::random_floats(1, 31), {31}), .eps = kEps}),
               Error);
}

}  // namespace
}  // namespace colonnade
