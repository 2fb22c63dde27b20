#include "colonnade/api/rank_speed.h"

#include <gtest/gtest.h>

#include "colonnade/device/devices.h"

namespace colonnade {
namespace {

TEST(MeasureRankSpeed, IsBytesPerSecondOfThisMachine) {
  const double speed = measure_rank_speed(*make_device({.threads = 1}));
  EXPECT_GT(speed, 1e7);
  EXPECT_LT(speed, 1e13);
}

}  // namespace
}  // namespace colonnade
