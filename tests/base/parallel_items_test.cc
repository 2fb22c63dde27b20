#include "colonnade/base/parallel_items.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(ParallelItems, EveryItemIsDoneOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> done(100, 0);
    parallel_items(
        threads, 100, [&](int64_t i) { ++done[static_cast<size_t>(i)]; }, [] {});
    EXPECT_EQ(done, std::vector<int>(100, 1)) << threads;
  }
}

TEST(ParallelItems, NoItemsAreNoWork) {
  parallel_items(
      4, 0, [](int64_t) { FAIL(); }, [] { FAIL(); });
}

TEST(ParallelItems, WhatIsDoneBetweenItemsRunsOnTheCallersThread) {
  const std::thread::id caller = std::this_thread::get_id();
  int64_t calls = 0;
  parallel_items(
      1, 10, [](int64_t) {},
      [&] {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        ++calls;
      });
  EXPECT_EQ(calls, 11);  // once more behind the last
}

TEST(ParallelItems, AnExceptionEndsTheWorkAndReachesTheCaller) {
  for (const int threads : {1, 3}) {
    std::atomic<int64_t> done = 0;
    const auto work = [&](int64_t i) {
      if (i == 5) throw std::runtime_error("item 5");
      ++done;
    };
    EXPECT_THROW(parallel_items(threads, 1'000'000, work, [] {}), std::runtime_error);
    EXPECT_LT(done, 1'000'000);
  }
  EXPECT_THROW(parallel_items(
                   1, 50, [](int64_t) {}, [] { throw std::runtime_error("interrupted"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace colonnade
