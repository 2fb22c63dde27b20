#include "colonnade/comm/shared_memory_group.h"

#include <cstring>
#include <thread>

#include "tests/support/forked_ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "colonnade/comm/collectives.h"

namespace colonnade {
namespace {

using test::ChildResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Runs `body` as ranks that are threads, then as ranks that are processes; none may throw.
void on_ranks(int ranks, const RankBody& body, Checking checking = kDefaultChecking) {
  run_as_threads({.ranks = ranks, .crowded = true, .checking = checking}, body);
  for (const ChildResult& result :
       test::run_as_processes({.ranks = ranks, .crowded = true, .checking = checking}, body)) {
    EXPECT_EQ(result.exit_code, 0)
        << "rank " << result.rank << " of " << ranks << ": " << result.thrown;
  }
}

void publish_value(Group& group, int64_t value) {
  std::memcpy(group.outbox(), &value, sizeof value);
  group.publish(sizeof value);
}

int64_t value_of(std::span<const std::byte> part) {
  int64_t value = 0;
  EXPECT_EQ(part.size(), sizeof value);
  std::memcpy(&value, part.data(), sizeof value);
  return value;
}

/// What a rank says in an exchange.
int64_t said(int rank, int64_t number) { return rank * 1'000'000 + number; }

TEST(SharedMemoryGroup, EveryRankCollectsThePartsOfAll) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    on_ranks(ranks, [ranks](Group& group) {
      ASSERT_EQ(group.size(), ranks);
      for (int64_t i = 0; i < 300; ++i) {
        publish_value(group, said(group.rank(), i));
        const Parts parts = group.collect("test");
        ASSERT_EQ(parts.size(), static_cast<size_t>(ranks));
        for (int r = 0; r < ranks; ++r) ASSERT_EQ(value_of(parts[r]), said(r, i));
      }
      EXPECT_EQ(group.stats().exchanges, 300);
      EXPECT_EQ(group.stats().bytes, 2400);
    });
  }
}

TEST(SharedMemoryGroup, RanksThatSpinAgreeToo) {
  run_as_threads({.ranks = 2}, [](Group& group) {
    for (int64_t i = 0; i < 20000; ++i) {
      publish_value(group, said(group.rank(), i));
      const Parts parts = group.collect("test");
      for (int r = 0; r < 2; ++r) ASSERT_EQ(value_of(parts[r]), said(r, i));
    }
  });
}

TEST(SharedMemoryGroup, PartsMayDifferInSizeAndBeEmpty) {
  on_ranks(3, [](Group& group) {
    for (int64_t i = 0; i < 50; ++i) {
      const int64_t bytes = (group.rank() * i * 700) % group.largest_part();
      std::memset(group.outbox(), static_cast<int>(i), static_cast<size_t>(bytes));
      group.publish(bytes);
      const Parts parts = group.collect("test");
      for (int64_t r = 0; r < 3; ++r) {
        const auto part = parts[static_cast<size_t>(r)];
        ASSERT_EQ(static_cast<int64_t>(part.size()), (r * i * 700) % group.largest_part());
        if (part.empty()) continue;
        ASSERT_EQ(part.back(), static_cast<std::byte>(i));
      }
    }
  });
}

TEST(SharedMemoryGroup, TheNextPartIsWrittenWhileOneIsPublishedAndOneIsRead) {
  on_ranks(3, [](Group& group) {
    publish_value(group, said(group.rank(), 0));
    Parts before;
    for (int64_t i = 1; i < 500; ++i) {
      const int64_t next = said(group.rank(), i);
      std::memcpy(group.outbox(), &next, sizeof next);
      if (i % 7 == group.rank()) std::this_thread::yield();
      before = group.collect("test");
      for (int r = 0; r < 3; ++r) ASSERT_EQ(value_of(before[r]), said(r, i - 1));
      std::this_thread::yield();
      for (int r = 0; r < 3; ++r) ASSERT_EQ(value_of(before[r]), said(r, i - 1));
      group.publish(sizeof next);
    }
    group.collect("test");
  });
}

/// Each of `failing` fails in the third of four exchanges; all hear the same; then they go on.
void expect_agreement(int ranks, const std::vector<std::pair<int, Failure>>& failing,
                      const std::string& words) {
  for (const Checking checking : {Checking::history, Checking::operations}) {
    on_ranks(
        ranks,
        [&](Group& group) {
          for (int step = 0; step < 3; ++step) {
            const std::string heard = test::thrown_by([&] {
              for (int64_t i = 0; i < 4; ++i) {
                for (const auto& [rank, failure] : failing) {
                  if (i == 2 && rank == group.rank()) group.fail_together(failure);
                }
                publish_value(group, i);
                group.collect("a step");
              }
            });
            EXPECT_EQ(heard, "AgreedError: " + words);
            // The group lives on.
            publish_value(group, said(group.rank(), step));
            const Parts parts = group.collect("after it");
            for (int r = 0; r < ranks; ++r) ASSERT_EQ(value_of(parts[r]), said(r, step));
          }
        },
        checking);
  }
}

TEST(SharedMemoryGroup, AFailureOfOneRankIsHeardByAllWithItsNumber) {
  expect_agreement(3, {{1, {.words = "no space left"}}}, "rank 1: no space left");
  expect_agreement(1, {{0, {.words = "no space left"}}}, "rank 0: no space left");
}

TEST(SharedMemoryGroup, OfSeveralFailuresTheLowestRankIsHeard) {
  expect_agreement(4, {{3, {.words = "three"}}, {1, {.words = "one"}}}, "rank 1: one");
}

TEST(SharedMemoryGroup, TheModelsFailureIsThatOfTheLowestRowAndNamesNoRank) {
  expect_agreement(3,
                   {{0, {.words = "row nine", .row = 9, .of_model = true}},
                    {2, {.words = "row four", .row = 4, .of_model = true}}},
                   "row four");
  expect_agreement(3,
                   {{0, {.words = "disk"}}, {2, {.words = "row four", .row = 4, .of_model = true}}},
                   "row four");
}

TEST(SharedMemoryGroup, AllRanksMayFailAtOnce) {
  expect_agreement(2, {{0, {.words = "a"}}, {1, {.words = "b"}}}, "rank 0: a");
}

TEST(SharedMemoryGroup, AFailureMayFollowAPublishedPart) {
  for (const Checking checking : {Checking::history, Checking::operations}) {
    on_ranks(
        3,
        [](Group& group) {
          const std::string heard = test::thrown_by([&] {
            for (int64_t i = 0; i < 10; ++i) {
              publish_value(group, i);
              // While its part is on the way, the next one fails.
              if (group.rank() == 1 && i == 5) group.fail_together({.words = "not finite"});
              group.collect("a step");
            }
          });
          EXPECT_EQ(heard, "AgreedError: rank 1: not finite");
          barrier(group, "after it");
        },
        checking);
  }
}

TEST(SharedMemoryGroup, WordsOfAFailureLongerThanAPartAreCut) {
  run_as_threads({.ranks = 2, .part_bytes = 1, .crowded = true}, [](Group& group) {
    const std::string heard = test::thrown_by([&] {
      if (group.rank() == 0) group.fail_together({.words = std::string(10000, 'x')});
      barrier(group, "test");
    });
    EXPECT_THAT(heard, StartsWith("AgreedError: rank 0: xxx"));
    EXPECT_GT(heard.size(), 4000u);
    EXPECT_LT(heard.size(), 4200u);
  });
}

TEST(SharedMemoryGroup, CheckedRanksInDifferentOperationsNameBoth) {
  for (int other = 0; other < 3; ++other) {
    const auto body = [other](Group& group) {
      barrier(group, "same");
      EXPECT_THAT(
          test::thrown_by([&] {
            barrier(group, group.rank() == other ? "broadcast of ids" : "all_reduce of x");
          }),
          AllOf(StartsWith("CommError: ranks disagree about their operations at exchange 2"),
                HasSubstr(concat("rank ", other)), HasSubstr("'broadcast of ids'"),
                HasSubstr("'all_reduce of x'")));
      EXPECT_THAT(test::thrown_by([&] { barrier(group, "same"); }), StartsWith("CommError"));
    };
    on_ranks(3, body, Checking::operations);
  }
}

TEST(SharedMemoryGroup, OperationsThatDifferAreFoundLaterWithoutChecks) {
  on_ranks(
      3,
      [](Group& group) {
        for (int i = 0; i < 10; ++i) barrier(group, group.rank() == 1 && i == 3 ? "b" : "a");
        EXPECT_THAT(test::thrown_by([&] {
                      for (int i = 0; i < 2 * kHistoryPeriod; ++i) barrier(group, "a");
                    }),
                    AllOf(StartsWith("CommError: ranks disagree"), HasSubstr("exchange 256"),
                          HasSubstr("ranks 0 and 1")));
      },
      Checking::history);
}

TEST(SharedMemoryGroup, SplitsByColorInTheOrderOfKeys) {
  on_ranks(5, [](Group& group) {
    // Ranks 0, 2, 4 backwards; 1 and 3 in order of rank.
    const int color = group.rank() % 2;
    const std::unique_ptr<Group> part = group.split(color, color == 0 ? -group.rank() : 7);
    ASSERT_NE(part, nullptr);
    const std::vector<int> expected =
        color == 0 ? std::vector<int>{4, 2, 0} : std::vector<int>{1, 3};
    ASSERT_EQ(part->size(), static_cast<int>(expected.size()));
    EXPECT_EQ(expected[static_cast<size_t>(part->rank())], group.rank());
    for (int64_t i = 0; i < 100; ++i) {
      publish_value(*part, said(group.rank(), i));
      const Parts parts = part->collect("test");
      for (size_t m = 0; m < expected.size(); ++m)
        ASSERT_EQ(value_of(parts[m]), said(expected[m], i));
      if (i % 10 == 0) barrier(group, "all");
    }
  });
}

TEST(SharedMemoryGroup, ARankMayStayOutOfASplit) {
  on_ranks(3, [](Group& group) {
    const std::unique_ptr<Group> part = group.split(group.rank() == 1 ? -1 : 0, 0);
    EXPECT_EQ(part == nullptr, group.rank() == 1);
    if (part) {
      EXPECT_EQ(part->size(), 2);
      barrier(*part, "test");
    }
    barrier(group, "all");
  });
}

TEST(SharedMemoryGroup, GroupsOfAMeshLiveAtOnceAndSplitAgain) {
  on_ranks(8, [](Group& group) {
    const std::unique_ptr<Group> row = group.split(group.rank() / 4, group.rank());
    const std::unique_ptr<Group> column = group.split(group.rank() % 4, group.rank());
    const std::unique_ptr<Group> half = row->split(row->rank() / 2, row->rank());
    ASSERT_EQ(row->size(), 4);
    ASSERT_EQ(column->size(), 2);
    ASSERT_EQ(half->size(), 2);
    for (int64_t i = 0; i < 20; ++i) {
      std::vector<int64_t> x = {said(group.rank(), i)};
      all_reduce(*half, x, "half");  // 2 k and 2 k + 1
      all_reduce(*column, x, "column");
      all_reduce(*row, x, "row");
      // Each half of a row is counted by both of its members.
      EXPECT_EQ(x[0], 2 * (28 * 1'000'000 + 8 * i));
    }
  });
}

TEST(SharedMemoryGroup, ManyGroupsOneAfterAnotherNeedNoMoreRoom) {
  on_ranks(3, [](Group& group) {
    for (int i = 0; i < 400; ++i) {
      const std::unique_ptr<Group> part = group.split(group.rank() == i % 3 ? 0 : 1, 0);
      barrier(*part, "test");
    }
  });
}

TEST(SharedMemoryGroup, WhenThereIsNoRoomForASplitAllRanksHearSo) {
  on_ranks(2, [](Group& group) {
    std::vector<std::unique_ptr<Group>> parts;
    const std::string heard = test::thrown_by([&] {
      for (int i = 0; i < 1000; ++i) parts.push_back(group.split(i % 2 == 0 ? 0 : group.rank(), 0));
    });
    EXPECT_THAT(heard, HasSubstr("Error: split: no room"));
    EXPECT_GE(parts.size(), 15u);
    barrier(*parts.back(), "the last one lives");
    parts.clear();
    barrier(group, "all released theirs");
    EXPECT_NE(group.split(0, 0), nullptr);
  });
}

TEST(SharedMemoryGroup, AFailureInAPartIsThatPartsAlone) {
  on_ranks(4, [](Group& group) {
    const std::unique_ptr<Group> part = group.split(group.rank() / 2, 0);
    const std::string heard = test::thrown_by([&] {
      if (group.rank() == 3) part->fail_together({.words = "no"});
      barrier(*part, "part");
    });
    EXPECT_EQ(heard, group.rank() < 2 ? "" : "AgreedError: rank 3: no");
    barrier(group, "all");
  });
}

TEST(SharedMemoryGroup, ADeathIsSeenInGroupsThatTheDeadWasNotIn) {
  for (const ChildResult& result : test::run_as_processes(4, [](Group& group) {
         const std::unique_ptr<Group> part = group.split(group.rank() == 3 ? 1 : 0, 0);
         barrier(group, "all");
         if (group.rank() == 3) raise(SIGKILL);
         // Rank 2 does not come to this one.
         if (group.rank() == 2) {
           barrier(group, "all");
         } else {
           barrier(*part, "part");
         }
       })) {
    if (result.rank == 3) continue;
    EXPECT_THAT(result.thrown, StartsWith("CommError: rank 3 of 4")) << result.rank;
  }
}

TEST(SharedMemoryGroup, AGroupThatSomeRanksClosedDoesNotHurtItsParent) {
  on_ranks(3, [](Group& group) {
    std::unique_ptr<Group> part = group.split(0, 0);
    barrier(*part, "part");
    if (group.rank() == 1) part.reset();
    for (int i = 0; i < 50; ++i) barrier(group, "all");
  });
}

TEST(SharedMemoryGroup, APartOutlivesItsParent) {
  const auto segment = std::make_shared<SharedSegment>(2, 1);
  const auto rank = [&](int number) {
    auto group = std::make_unique<SharedMemoryGroup>(segment, number, Patience::yield);
    const std::unique_ptr<Group> part = group->split(0, 0);
    group.reset();
    for (int i = 0; i < 50; ++i) barrier(*part, "part");
  };
  std::thread other(rank, 1);
  rank(0);
  other.join();
}

}  // namespace
}  // namespace colonnade
