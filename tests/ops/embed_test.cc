#include "colonnade/ops/embed.h"

#include "tests/ops/ops_fixture.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 3;

TEST(Embed, LooksUpRowsOfTheTable) {
  for (int threads : {1, 2, 5}) {
    test::OpsFixture f(threads);
    const test::TestWeight table =
        test::random_weight(*f.device, kSeed, WeightFormat::q8_0, 40, 64, Tier::int8);
    const Tensor y = embed(f.cx, *table.packed, 0, f.indices({39, 0, 7, 7}));
    EXPECT_EQ(y.shape(), (Shape{4, 64}));
    std::vector<float> expected;
    for (int64_t id : {39, 0, 7, 7}) {
      expected.insert(expected.end(), table.values.begin() + id * 64,
                      table.values.begin() + (id + 1) * 64);
    }
    EXPECT_EQ(f.read(y), expected);
  }
}

TEST(Embed, RowsThatTheTableDoesNotHoldAreZeros) {
  test::OpsFixture f(2);
  const test::TestWeight table =
      test::random_weight(*f.device, kSeed, WeightFormat::f32, 40, 8, Tier::f32);
  const std::vector<float> y = f.read(embed(f.cx, *table.packed, 100, f.indices({99, 101, 140})));
  EXPECT_EQ(std::vector<float>(y.begin(), y.begin() + 8), std::vector<float>(8, 0.0f));
  EXPECT_EQ(std::vector<float>(y.begin() + 8, y.begin() + 16),
            std::vector<float>(table.values.begin() + 8, table.values.begin() + 16));
  EXPECT_EQ(std::vector<float>(y.begin() + 16, y.end()), std::vector<float>(8, 0.0f));
}

TEST(SelectRows, PicksRowsAndRefusesOthers) {
  test::OpsFixture f(2);
  const Tensor x = f.tensor({0, 1, 2, 3, 4, 5}, {3, 2});
  EXPECT_EQ(f.read(select_rows(f.cx, x, f.indices({2, 0}))), (std::vector<float>{4, 5, 0, 1}));
  EXPECT_THROW(select_rows(f.cx, x, f.indices({3})), Error);
}

}  // namespace
}  // namespace colonnade
