#include "tests/support/heap_meter.h"

#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>

namespace colonnade::test {
namespace {

TEST(HeapMeter, CountsRequestsTheLargestAndTheMostHeldAtOnce) {
  const HeapMeter meter;
  for (int i = 0; i < 3; ++i) std::vector<char>(1000 + i).shrink_to_fit();
  EXPECT_EQ(meter.allocations(), 3);
  EXPECT_EQ(meter.largest_bytes(), 1002);
  EXPECT_GE(meter.peak_bytes(), 1000);
  EXPECT_LT(meter.peak_bytes(), 2000);
  const auto first = std::make_unique<char[]>(5000);
  const auto second = std::make_unique<char[]>(5000);
  EXPECT_GE(meter.peak_bytes(), 10000);
}

TEST(HeapMeter, SeesNothingThatHappenedBeforeIt) {
  const auto before = std::make_unique<char[]>(5000);
  const HeapMeter meter;
  EXPECT_EQ(meter.allocations(), 0);
  EXPECT_EQ(meter.peak_bytes(), 0);
}

TEST(HeapMeter, SeesArraysAlignedAndNothrowForms) {
  struct alignas(64) Line {
    char bytes[64];
  };
  const HeapMeter meter;
  const std::unique_ptr<Line> line(new Line);
  const std::unique_ptr<Line[]> lines(new Line[2]);
  const std::unique_ptr<char> one(new (std::nothrow) char);
  const std::unique_ptr<char[]> many(new (std::nothrow) char[9]);
  EXPECT_EQ(meter.allocations(), 4);
}

}  // namespace
}  // namespace colonnade::test
