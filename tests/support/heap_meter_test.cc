#include "tests/support/heap_meter.h"

#include <memory>
#include <new>

#include <gtest/gtest.h>

namespace colonnade::test {
namespace {

/// The compiler may leave out an allocation whose memory nobody sees.
template <typename T>
T* seen(T* memory) {
  asm volatile("" : : "r"(memory) : "memory");
  return memory;
}

TEST(HeapMeter, CountsRequestsTheLargestAndTheMostHeldAtOnce) {
  const HeapMeter meter;
  for (int i = 0; i < 3; ++i) delete[] seen(new char[1000 + i]);
  EXPECT_EQ(meter.allocations(), 3);
  EXPECT_EQ(meter.largest_bytes(), 1002);
  EXPECT_GE(meter.peak_bytes(), 1000);
  EXPECT_LT(meter.peak_bytes(), 2000);
  const std::unique_ptr<char[]> first(seen(new char[5000]));
  const std::unique_ptr<char[]> second(seen(new char[5000]));
  EXPECT_GE(meter.peak_bytes(), 10000);
}

TEST(HeapMeter, SeesNothingThatHappenedBeforeIt) {
  const std::unique_ptr<char[]> before(seen(new char[5000]));
  const HeapMeter meter;
  EXPECT_EQ(meter.allocations(), 0);
  EXPECT_EQ(meter.peak_bytes(), 0);
}

TEST(HeapMeter, SeesArraysAlignedAndNothrowForms) {
  struct alignas(64) Line {
    char bytes[64];
  };
  const HeapMeter meter;
  const std::unique_ptr<Line> line(seen(new Line));
  const std::unique_ptr<Line[]> lines(seen(new Line[2]));
  const std::unique_ptr<char> one(seen(new (std::nothrow) char));
  const std::unique_ptr<char[]> many(seen(new (std::nothrow) char[9]));
  EXPECT_EQ(meter.allocations(), 4);
}

}  // namespace
}  // namespace colonnade::test
