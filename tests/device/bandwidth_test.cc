#include "colonnade/device/bandwidth.h"

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

ThreadPoolOptions threads(int count) { return {.threads = count, .pinning = Pinning::off}; }

TEST(ReadBandwidth, IsAboveADiskAndBelowEveryCache) {
  for (int count : {1, 2, 3}) {
    const double rate = measure_read_bandwidth(threads(count), {.bytes = int64_t{64} << 20});
    EXPECT_GT(rate, 1e8) << count << " threads";
    EXPECT_LT(rate, 1e13) << count << " threads";
  }
}

TEST(ReadBandwidth, TakesSizesThatAreNoWholeSteps) {
  for (int64_t bytes : {int64_t{1}, int64_t{255}, int64_t{257}, (int64_t{1} << 20) + 1}) {
    EXPECT_GT(measure_read_bandwidth(threads(3), {.bytes = bytes, .passes = 1}), 0) << bytes;
  }
}

TEST(ReadBandwidth, RefusesNothingToRead) {
  EXPECT_THROW(measure_read_bandwidth(threads(1), {.bytes = 0}), Error);
  EXPECT_THROW(measure_read_bandwidth(threads(1), {.passes = 0}), Error);
}

}  // namespace
}  // namespace colonnade
