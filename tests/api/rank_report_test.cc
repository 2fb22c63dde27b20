#include "colonnade/api/rank_report.h"

#include <vector>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(LoadTimes, TheSlowestRankIsTheTimeAndBytesAreAdded) {
  const std::vector<RankReport> ranks = {{.file_bytes = 300, .load_s = 2, .threads = 1},
                                         {.file_bytes = 100, .load_s = 4, .threads = 1}};
  const LoadTimes times = load_times_of(ranks);
  EXPECT_EQ(times.file_bytes, 400);
  EXPECT_EQ(times.seconds, 4);
  EXPECT_EQ(times.bytes_per_s(), 100);
}

TEST(LoadTimes, WhatThreadsDoNotReadTheyPack) {
  // 2 s of two threads and 4 s of one: 8 s, of which 2 in reads.
  const std::vector<RankReport> ranks = {{.load_s = 2, .read_s = 1.5, .threads = 2},
                                         {.load_s = 4, .read_s = 0.5, .threads = 1}};
  EXPECT_EQ(load_times_of(ranks).packing_share, 0.75);
}

TEST(LoadTimes, NothingLoadedIsNoDivisionByZero) {
  const LoadTimes times = load_times_of(std::vector<RankReport>(1));
  EXPECT_EQ(times.bytes_per_s(), 0);
  EXPECT_EQ(times.packing_share, 0);
}

}  // namespace
}  // namespace colonnade
