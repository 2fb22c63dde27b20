#include "colonnade/comm/rank_mail.h"

#include <algorithm>
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

void on_ranks(int ranks, const RankBody& body) {
  run_as_threads({.ranks = ranks, .crowded = true}, body);
  for (const ChildResult& result : test::run_as_processes(ranks, body)) {
    EXPECT_EQ(result.exit_code, 0) << "rank " << result.rank << ": " << result.thrown;
  }
}

std::vector<std::byte> message(int from, int to, int64_t bytes) {
  std::vector<std::byte> all(static_cast<size_t>(bytes));
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<std::byte>(static_cast<size_t>(from * 31 + to * 7) + i * 13);
  }
  return all;
}

TEST(RankMail, GoesBetweenAnyTwoRanks) {
  on_ranks(4, [](Group& group) {
    for (int to = 0; to < 4; ++to) {
      if (to != group.rank()) group.send(message(group.rank(), to, 100 + to), to, 5);
    }
    for (int from = 3; from >= 0; --from) {
      if (from == group.rank()) continue;
      EXPECT_EQ(group.recv(from, 5), message(from, group.rank(), 100 + group.rank()));
    }
  });
}

TEST(RankMail, IsReceivedByTagInAnyOrder) {
  on_ranks(2, [](Group& group) {
    if (group.rank() == 0) {
      for (int tag = 0; tag < 10; ++tag) group.send(message(tag, 0, tag), 1, tag);
      for (int tag = 0; tag < 10; ++tag) group.send(message(tag, 1, tag), 1, tag);
    } else {
      for (int tag = 9; tag >= 0; --tag) {
        EXPECT_EQ(group.recv(0, tag), message(tag, 0, tag));
        EXPECT_EQ(group.recv(0, tag), message(tag, 1, tag));
      }
    }
  });
}

TEST(RankMail, LargeMessagesThatCrossDoNotWaitForEachOther) {
  constexpr int64_t kBytes = 10 * Mailbox::kRing + 17;
  on_ranks(3, [](Group& group) {
    // Everybody sends before anybody receives; around the ring and back.
    const int right = (group.rank() + 1) % 3, left = (group.rank() + 2) % 3;
    group.send(message(group.rank(), right, kBytes), right, 1);
    group.send(message(group.rank(), left, kBytes), left, 2);
    EXPECT_EQ(group.recv(right, 2), message(right, group.rank(), kBytes));
    EXPECT_EQ(group.recv(left, 1), message(left, group.rank(), kBytes));
  });
}

TEST(RankMail, AnEmptyMessageIsAMessage) {
  on_ranks(2, [](Group& group) {
    if (group.rank() == 0) group.send({}, 1, 3);
    if (group.rank() == 1) {
      EXPECT_TRUE(group.recv(0, 3).empty());
    }
  });
}

TEST(RankMail, LivesBesideExchangesAndInParts) {
  on_ranks(4, [](Group& group) {
    const std::unique_ptr<Group> part = group.split(group.rank() % 2, -group.rank());
    for (int i = 0; i < 20; ++i) {
      const int other = 1 - part->rank();
      part->send(message(part->rank(), other, i), other, 0);
      group.send(message(group.rank(), 3 - group.rank(), i), 3 - group.rank(), 0);
      barrier(group, "test");
      EXPECT_EQ(part->recv(other, 0), message(other, part->rank(), i));
      EXPECT_EQ(group.recv(3 - group.rank(), 0), message(3 - group.rank(), group.rank(), i));
    }
  });
}

TEST(RankMail, RefusesRanksThatAreNotThereAndItself) {
  run_as_threads({.ranks = 2, .crowded = true}, [](Group& group) {
    EXPECT_THROW(group.send({}, group.rank(), 0), Error);
    EXPECT_THROW(group.send({}, 2, 0), Error);
    EXPECT_THROW(group.recv(-1, 0), Error);
    barrier(group, "test");
  });
}

TEST(RankMail, WhatWasSentBeforeARankLeftStillComes) {
  on_ranks(2, [](Group& group) {
    if (group.rank() == 1) return group.send(message(1, 0, 1000), 0, 4);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_EQ(group.recv(1, 4), message(1, 0, 1000));
    EXPECT_THAT(test::thrown_by([&] { group.recv(1, 4); }),
                HasSubstr("has left; rank 0 waited for it in recv, from it, tag 4"));
  });
}

TEST(RankMail, ADeathEndsBothKindsOfWaiting) {
  for (const ChildResult& result : test::run_as_processes(3, [](Group& group) {
         if (group.rank() == 1) raise(SIGKILL);
         if (group.rank() == 0) group.recv(1, 2);
         if (group.rank() == 2) group.send(message(2, 1, 3 * Mailbox::kRing), 1, 2);
       })) {
    if (result.rank == 1) continue;
    EXPECT_THAT(result.thrown, HasSubstr("CommError: rank 1 of 3"));
  }
}

TEST(RankMail, AMessageThatDoesNotComeInTimeIsAnError) {
  run_as_threads({.ranks = 2, .crowded = true}, [](Group& group) {
    if (group.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      return;
    }
    group.set_timeout(0.1);
    EXPECT_THAT(test::thrown_by([&] { group.recv(1, 9); }),
                AllOf(HasSubstr("gave no sign of life for 0.1 s: it runs"),
                      HasSubstr("waited for it in recv, from it, tag 9")));
  });
}

}  // namespace
}  // namespace colonnade
