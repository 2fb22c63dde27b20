#include "colonnade/comm/thread_ranks.h"

#include <atomic>

#include "tests/support/forked_ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/comm/collectives.h"

namespace colonnade {
namespace {

using testing::HasSubstr;

TEST(ThreadRanks, TheCallerIsRankZeroAndTheOthersRunTheBody) {
  for (int n = 1; n <= 8; ++n) {
    std::atomic<int> ran{0};
    {
      ThreadRanks ranks({.ranks = n, .crowded = true}, [&](Group& group) {
        EXPECT_EQ(group.size(), n);
        ran.fetch_add(1 << (4 * (group.rank() - 1)));
        barrier(group, "test");
      });
      EXPECT_EQ(ranks.group().rank(), 0);
      barrier(ranks.group(), "test");
    }
    int expected = 0;
    for (int r = 1; r < n; ++r) expected |= 1 << (4 * (r - 1));
    EXPECT_EQ(ran.load(), expected);
  }
}

TEST(ThreadRanks, LeavingEndsRanksThatWaitForTheCaller) {
  std::atomic<int> ended{0};
  {
    ThreadRanks ranks({.ranks = 3, .crowded = true}, [&](Group& group) {
      EXPECT_THAT(test::thrown_by([&] { barrier(group, "test"); }), HasSubstr("has left"));
      ended.fetch_add(1);
    });
  }
  EXPECT_EQ(ended.load(), 2);
}

TEST(ThreadRanks, WhatABodyThrowsTheCallerReads) {
  ThreadRanks ranks({.ranks = 2, .crowded = true}, [](Group&) { throw Error("bad file"); });
  EXPECT_THAT(test::thrown_by([&] { barrier(ranks.group(), "test"); }),
              HasSubstr("rank 1 of 2 (a thread on this machine) failed: bad file"));
}

TEST(RunAsThreads, ThrowsTheCauseNotItsConsequences) {
  EXPECT_EQ(test::thrown_by([] {
              run_as_threads(3, [](Group& group) {
                if (group.rank() == 2) throw Error("the cause");
                barrier(group, "test");
              });
            }),
            "Error: the cause");
}

TEST(RunAsThreads, ThrowsAConsequenceIfThereIsNothingElse) {
  EXPECT_THAT(test::thrown_by([] {
                run_as_threads(2, [](Group& group) {
                  if (group.rank() == 0) group.abandon("gone");
                  if (group.rank() == 1) barrier(group, "test");
                });
              }),
              HasSubstr("CommError: rank 0 of 2"));
}

TEST(RunAsThreads, ASizeWithoutRanksIsRefused) {
  EXPECT_THROW(run_as_threads(0, [](Group&) {}), Error);
}

}  // namespace
}  // namespace colonnade
