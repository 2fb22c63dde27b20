// What a rank that fails does to the others. Ranks are processes where they are killed or stopped.
#include "colonnade/comm/rank_seat.h"

#include <thread>

#include "tests/support/forked_ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "colonnade/comm/collectives.h"
#include "colonnade/comm/shared_memory_group.h"

namespace colonnade {
namespace {

using test::ChildResult;
using test::ForkedRanks;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kMoment = std::chrono::milliseconds(50);

void meet(Group& group, int times, const char* operation) {
  for (int i = 0; i < times; ++i) barrier(group, operation);
}

TEST(RankSeat, IsNotOnesTheSegmentDoesNotHave) {
  const auto segment = std::make_shared<SharedSegment>(2, 1);
  EXPECT_THROW(RankSeat(segment, 2, Patience::yield), Error);
  EXPECT_THROW(RankSeat(segment, -1, Patience::yield), Error);
}

TEST(RankSeat, EverySurvivorNamesTheRankThatWasKilled) {
  for (const int ranks : {2, 4}) {
    // No timeout: what is seen is the death itself.
    const std::vector<ChildResult> results = test::run_as_processes(ranks, [](Group& group) {
      meet(group, 5, "warming up");
      if (group.rank() == 1) raise(SIGKILL);
      meet(group, 5, "blk.3.attn_output");
    });
    EXPECT_EQ(results[1].signal, SIGKILL);
    for (const ChildResult& result : results) {
      if (result.rank == 1) continue;
      EXPECT_THAT(result.thrown,
                  AllOf(StartsWith(concat("CommError: rank 1 of ", ranks, " (process ",
                                          results[1].process, " on this machine) ")),
                        HasSubstr("blk.3.attn_output, exchange 6")));
    }
    // Its parent, where the caller is rank 0, hears of the signal.
    EXPECT_THAT(results[0].thrown,
                HasSubstr("was killed by signal 9 (Killed); rank 0 waited for it"));
  }
}

TEST(RankSeat, ADeathIsSeenWellWithinATenthOfASecond) {
  // The bound itself is no matter of a test's clock: whoever sleeps looks around this often.
  EXPECT_LE(RankSeat::kPeriod, std::chrono::milliseconds(50));
}

TEST(RankSeat, ARankThatIsKilledBeforeItHasComeIsSeenToo) {
  const auto segment = std::make_shared<SharedSegment>(2, 1);
  const int child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  segment->expect(1, child);
  SharedMemoryGroup group(segment, 0, Patience::yield);
  kill(child, SIGKILL);
  EXPECT_THAT(test::thrown_by([&] { barrier(group, "loading"); }),
              HasSubstr("was killed by signal 9"));
}

TEST(RankSeat, OneThatNeverComesIsNamedAfterTheTimeout) {
  const auto segment = std::make_shared<SharedSegment>(2, 1);
  SharedMemoryGroup group(segment, 0, Patience::yield);
  group.set_timeout(0.05);
  EXPECT_THAT(test::thrown_by([&] { barrier(group, "loading"); }),
              AllOf(HasSubstr("rank 1 of 2 (no process yet on this machine) gave no sign of life"),
                    HasSubstr("it has not come; rank 0 waited for it in loading, exchange 1")));
}

TEST(RankSeat, OneThatIsStoppedIsGivenUpAfterTheTimeoutAndHearsSo) {
  ForkedRanks ranks({.ranks = 3, .crowded = true}, [](Group& group) {
    if (group.rank() == 1) raise(SIGSTOP);
    group.set_timeout(0.3);
    meet(group, 2, "blk.0.ffn_down");
  });
  ranks.wait_until_stopped(1);
  ranks.group().set_timeout(0.3);
  EXPECT_THAT(
      test::thrown_by([&] { meet(ranks.group(), 2, "blk.0.ffn_down"); }),
      AllOf(StartsWith("CommError: rank 1 of 3"),
            HasSubstr("gave no sign of life for 0.3 s: it is stopped (SIGSTOP or Ctrl-Z)")));
  ranks.send_signal(1, SIGCONT);
  const std::vector<ChildResult> results = ranks.wait();
  EXPECT_THAT(results[0].thrown, HasSubstr("the others have given up this rank, 1 of 3, which gave "
                                           "no sign of life for 0.3 s"));
  EXPECT_THAT(results[1].thrown, HasSubstr("rank 1 of 3"));
}

TEST(RankSeat, ADeadGroupSaysSoAtOnce) {
  const std::vector<ChildResult> results = test::run_as_processes(2, [](Group& group) {
    if (group.rank() == 1) raise(SIGKILL);
    const std::string first = test::thrown_by([&] { barrier(group, "first"); });
    EXPECT_THAT(first, HasSubstr("killed by signal 9"));
    EXPECT_EQ(test::thrown_by([&] { barrier(group, "second"); }), first);
    EXPECT_EQ(test::thrown_by([&] { group.check(); }), first);
    EXPECT_EQ(test::thrown_by([&] { group.send({}, 1, 0); }), first);
    EXPECT_EQ(test::thrown_by([&] { group.fail_together({.words = "no memory"}); }), first);
  });
  EXPECT_EQ(results[0].exit_code, 0);
}

TEST(RankSeat, ADeathIsFoundByACheckOutsideOfExchanges) {
  ForkedRanks ranks({.ranks = 2, .crowded = true}, [](Group&) { raise(SIGKILL); });
  std::string thrown;
  while (thrown.empty()) thrown = test::thrown_by([&] { ranks.group().check(); });
  EXPECT_THAT(thrown, StartsWith("CommError: rank 1 of 2"));
}

TEST(RankSeat, AStoppedRankIsFoundByChecksOutsideOfExchanges) {
  ForkedRanks ranks({.ranks = 3, .crowded = true}, [](Group& group) {
    group.set_timeout(0);
    meet(group, 1, "waiting for rank 0");
  });
  ranks.group().set_timeout(0.3);
  ranks.send_signal(1, SIGSTOP);
  std::string thrown;
  while (thrown.empty()) {
    std::this_thread::sleep_for(kMoment);
    thrown = test::thrown_by([&] { ranks.group().check(); });
  }
  EXPECT_THAT(thrown, AllOf(StartsWith("CommError: rank 1 of 3"),
                            HasSubstr("gave no sign of life for 0.3 s: it ")));
  EXPECT_THAT(thrown, testing::EndsWith("is stopped (SIGSTOP or Ctrl-Z)"));
  ranks.send_signal(1, SIGCONT);
}

TEST(RankSeat, RanksThatWaitForTheCallerLiveAtItsChecks) {
  ForkedRanks ranks({.ranks = 2, .crowded = true},
                    [](Group& group) { meet(group, 1, "waiting for rank 0"); });
  ranks.group().set_timeout(0.3);
  for (int i = 0; i < 12; ++i) {
    std::this_thread::sleep_for(kMoment);
    ranks.group().check();
  }
  meet(ranks.group(), 1, "waiting for rank 0");
}

TEST(RankSeat, LastWordsAreQuotedByAllOthers) {
  const auto body = [](Group& group) {
    meet(group, 3, "warming up");
    if (group.rank() == 2) throw Error("out of memory loading layer 12");
    meet(group, 1, "blk.0.ffn_down");
  };
  for (const ChildResult& result : test::run_as_processes(4, body)) {
    if (result.rank == 2) continue;
    EXPECT_THAT(result.thrown, AllOf(StartsWith("CommError: rank 2 of 4"),
                                     HasSubstr(") failed: out of memory loading layer 12; rank"),
                                     HasSubstr("waited for it in blk.0.ffn_down, exchange 4")));
  }
  EXPECT_EQ(test::thrown_by([&] { run_as_threads(4, body); }),
            "Error: out of memory loading layer 12");
}

TEST(RankSeat, AThreadIsCalledAThread) {
  run_as_threads(2, [](Group& group) {
    if (group.rank() == 1) return group.abandon("gone");
    EXPECT_THAT(test::thrown_by([&] { barrier(group, "test"); }),
                HasSubstr("rank 1 of 2 (a thread on this machine) failed: gone"));
  });
}

TEST(RankSeat, ARankThatLeavesIsMissedOnlyByThoseWhoWaitForIt) {
  const auto body = [](Group& group) {
    // All have come to the last exchange; some are still asleep in it when the first leaves.
    meet(group, 20, "test");
    if (group.rank() == 1) {
      EXPECT_THAT(test::thrown_by([&] { barrier(group, "one too many"); }),
                  HasSubstr("has left; rank 1 waited for it in one too many, exchange 21"));
    }
  };
  for (const ChildResult& result : test::run_as_processes(4, body)) {
    EXPECT_EQ(result.exit_code, 0) << result.thrown;
  }
}

TEST(RankSeat, ARankThatLeftDuringAnotherWaitIsMissedByALaterOne) {
  const auto body = [](Group& group) {
    const std::byte word[1] = {};
    if (group.rank() == 2) return;  // leaves at once
    if (group.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      group.send(word, 0, 1);
      group.recv(0, 1);
      return;
    }
    group.recv(1, 1);  // asleep while rank 2 leaves, which it does not miss here
    EXPECT_THAT(test::thrown_by([&] { group.recv(2, 1); }), HasSubstr("rank 2 of 3"));
    EXPECT_THAT(test::thrown_by([&] { group.recv(2, 1); }), HasSubstr("has left"));
  };
  EXPECT_THAT(test::thrown_by([&] { run_as_threads(3, body); }), HasSubstr("rank 2 of 3"));
}

TEST(RankSeat, StoppingAndContinuingTheWholeJobIsNoError) {
  const RankBody body = [](Group& group) {
    group.set_timeout(0.3);
    for (int i = 0; i < 100; ++i) {
      barrier(group, "test");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
  ForkedRanks ranks({.ranks = 3, .crowded = true}, body, test::Caller::is_none);
  while (ranks.segment().board().line(0).published.load() < 5) std::this_thread::yield();
  for (int rank = 0; rank < 3; ++rank) ranks.send_signal(rank, SIGSTOP);
  for (int rank = 0; rank < 3; ++rank) ranks.wait_until_stopped(rank);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  for (int rank = 0; rank < 3; ++rank) ranks.send_signal(rank, SIGCONT);
  for (const ChildResult& result : ranks.wait()) EXPECT_EQ(result.exit_code, 0) << result.thrown;
}

TEST(RankSeat, OneThatIsSlowButGivesSignsOfLifeIsWaitedFor) {
  run_as_threads(2, [](Group& group) {
    group.set_timeout(0.3);
    for (int i = 0; group.rank() == 1 && i < 16; ++i) {
      std::this_thread::sleep_for(kMoment);
      group.beat(i);
    }
    barrier(group, "loading");
  });
}

TEST(RankSeat, OneThatWaitsForAThirdIsNotGivenUp) {
  run_as_threads(3, [](Group& group) {
    group.set_timeout(0.3);
    const std::unique_ptr<Group> two = group.split(group.rank() == 0 ? -1 : 0, 0);
    for (int i = 0; group.rank() == 2 && i < 16; ++i) {
      std::this_thread::sleep_for(kMoment);
      group.beat(i);
    }
    // Rank 0 waits for rank 1, which waits for rank 2.
    if (two) barrier(*two, "two");
    barrier(group, "all");
  });
}

TEST(RankSeat, RanksThatWaitForEachOtherInDifferentThingsHearSo) {
  // Rank 0 in a message, the others in an exchange: none of them could ever go on.
  const auto message = [](Group& group) {
    if (group.rank() == 0) group.recv(1, 5);
    barrier(group, "loading");
  };
  const std::vector<ChildResult> results = test::run_as_processes(3, message);
  EXPECT_THAT(results[0].thrown, AllOf(StartsWith("CommError: "), HasSubstr("wait"),
                                       HasSubstr("recv, from it, tag 5")));
  EXPECT_THAT(results[1].thrown, AllOf(StartsWith("CommError: "), HasSubstr("wait"),
                                       HasSubstr("loading, exchange 1")));
  EXPECT_THAT(results[2].thrown, StartsWith("CommError: "));
  // In two groups, each in the other's order.
  const auto groups = [](Group& group) {
    const std::unique_ptr<Group> other = group.split(0, 0);
    barrier(group.rank() == 0 ? group : *other, "first");
    barrier(group.rank() == 0 ? *other : group, "second");
  };
  EXPECT_THAT(test::thrown_by([&] { run_as_threads(2, groups); }),
              AllOf(HasSubstr("waits for rank"), HasSubstr("in first, exchange 1"),
                    HasSubstr("in first, exchange 3")));
}

TEST(RankSeat, ACircleIsNotSeenInWhatARankSaidBeforeItLookedAgain) {
  const auto segment = std::make_shared<SharedSegment>(2, 1);
  SharedMemoryGroup group(segment, 0, Patience::yield, Checking::history);
  RankLife& other = segment->life(1);
  segment->expect(1, getpid());
  other.state = RankState::alive;
  other.missing = 1;  // rank 0, which has come since
  other.waits = 1;
  std::thread heart([&] {
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(RankSeat::kPeriod / 2);
      ++other.beats;  // a thread's, not of its own looks
    }
    segment->board().line(1).published = 1;
    segment->wake(0);
  });
  EXPECT_EQ(test::thrown_by([&] { barrier(group, "test"); }), "");
  heart.join();
}

TEST(RankSeat, LongWaitsInACircleThatMovesAreNone) {
  // Each waits for the next longer than a look; rank 0 is always behind.
  run_as_threads(3, [](Group& group) {
    for (int i = 0; i < 3; ++i) {
      if (group.rank() == 0) std::this_thread::sleep_for(3 * RankSeat::kPeriod);
      const int next = (group.rank() + 1) % 3, before = (group.rank() + 2) % 3;
      group.send({}, next, i);
      group.recv(before, i);
      barrier(group, "test");
    }
  });
}

double cpu_seconds_of_this_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](timeval t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(RankSeat, WhoWaitsForLongSleepsAndBeats) {
  for (const bool crowded : {false, true}) {
    ForkedRanks ranks({.ranks = 2, .crowded = crowded}, [](Group& group) {
      barrier(group, "start");
      const double before = cpu_seconds_of_this_thread();
      barrier(group, "idle");
      EXPECT_LT(cpu_seconds_of_this_thread() - before, 0.25);
    });
    barrier(ranks.group(), "start");
    const std::atomic<int64_t>& beats = ranks.segment().life(1).beats;
    const int64_t before = beats.load();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_GT(beats.load(), before);
    barrier(ranks.group(), "idle");
    EXPECT_EQ(ranks.wait()[0].exit_code, 0);
  }
}

}  // namespace
}  // namespace colonnade
