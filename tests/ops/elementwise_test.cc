#include "colonnade/ops/elementwise.h"

#include <cmath>

#include "tests/ops/ops_fixture.h"
#include "tests/support/random.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int64_t kRows = 5, kCols = 37;

TEST(ScaleAdd, RoundsTheProductThenTheSum) {
  const std::vector<float> y = test::random_floats(1, kRows * kCols);
  const std::vector<float> x = test::random_floats(2, kRows * kCols);
  for (const int threads : {1, 3}) {
    test::OpsFixture f(threads);
    const Tensor kept = f.tensor(y, {kRows, kCols});
    const std::vector<float> both =
        f.read(scale_add(f.cx, kept, 25.298221F, f.tensor(x, {kRows, kCols})));
    const std::vector<float> product = f.read(scale_add(f.cx, kept, 25.298221F));
    EXPECT_EQ(f.read(kept), y) << "somebody else holds it";
    for (size_t i = 0; i < y.size(); ++i) {
      const float scaled = y[i] * 25.298221F;
      EXPECT_EQ(product[i], scaled);
      EXPECT_EQ(both[i], scaled + x[i]);
    }
  }
}

TEST(ScaleAdd, WritesOverTheLastReference) {
  test::OpsFixture f(1);
  Tensor y = f.tensor({1, 2}, {1, 2});
  const float* place = y.f32();
  const Tensor made = scale_add(f.cx, std::move(y), 2);
  EXPECT_EQ(made.f32(), place);
}

TEST(ScaleAdd, RefusesAnotherShape) {
  test::OpsFixture f(1);
  EXPECT_THROW(scale_add(f.cx, f.tensor({1, 2}, {1, 2}), 1, f.tensor({1, 2}, {2, 1})), Error);
}

TEST(SoftCap, IsTheCapTimesTheHyperbolicTangent) {
  std::vector<float> x = test::random_floats(3, kRows * kCols, 60.0F);
  x[0] = 1e30F;
  x[1] = -1e30F;
  x[2] = 0;
  test::OpsFixture f(2);
  const std::vector<float> y = f.read(soft_cap(f.cx, f.tensor(x, {kRows, kCols}), 30));
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(y[i], 30 * std::tanh(double{x[i]} / 30), 30 * 0x1p-21) << x[i];
  EXPECT_THROW(soft_cap(f.cx, f.tensor(x, {kRows, kCols}), 0), Error);
}

}  // namespace
}  // namespace colonnade
