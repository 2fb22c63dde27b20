#include "colonnade/comm/heartbeat.h"

#include <thread>

#include <gtest/gtest.h>

#include "colonnade/comm/collectives.h"
#include "colonnade/comm/process_ranks.h"
#include "colonnade/comm/thread_ranks.h"

namespace colonnade {
namespace {

TEST(Heartbeat, BeatsForItsRankAloneAndEndsAtOnce) {
  const auto segment = std::make_shared<SharedSegment>(2, 1);
  const Heartbeat heartbeat(segment, 1);
  while (segment->life(1).beats.load() < 2) std::this_thread::yield();
  EXPECT_EQ(segment->life(0).beats.load(), 0);
}

TEST(Heartbeat, ARankZeroThatDoesSomethingElseIsWaitedFor) {
  ThreadRanks ranks({.ranks = 2, .crowded = true}, [](Group& group) {
    group.set_timeout(0.5);  // longer than the period, shorter than rank 0 takes
    barrier(group, "test");
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_NO_THROW(barrier(ranks.group(), "test"));
}

}  // namespace
}  // namespace colonnade
