#include "colonnade/models/alibi.h"

#include <cmath>

#include <gtest/gtest.h>

#include "colonnade/device/devices.h"

namespace colonnade {
namespace {

std::vector<float> slopes(int heads, Range mine) {
  const std::unique_ptr<Device> device = make_device({.threads = 1});
  const Tensor made = alibi_slopes(*device, heads, mine);
  return {made.f32(), made.f32() + made.elements()};
}

TEST(AlibiSlopes, OfAPowerOfTwoAreAGeometricRow) {
  const std::vector<float> s = slopes(8, {0, 8});
  for (int i = 0; i < 8; ++i) EXPECT_FLOAT_EQ(s[i], static_cast<float>(std::pow(2.0, -(i + 1))));
}

TEST(AlibiSlopes, OtherHeadsTakeTheOddOnesOfTwiceAsMany) {
  const std::vector<float> s = slopes(6, {0, 6});
  const double expected[] = {-2, -4, -6, -8, -1, -3};
  for (int i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(s[i], static_cast<float>(std::pow(2.0, expected[i])));
}

TEST(AlibiSlopes, ARankHasThoseOfItsHeads) {
  const std::vector<float> all = slopes(12, {0, 12}), mine = slopes(12, {5, 9});
  EXPECT_EQ(mine, std::vector<float>(all.begin() + 5, all.begin() + 9));
}

}  // namespace
}  // namespace colonnade
