#include "colonnade/comm/process_ranks.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <new>
#include <thread>

#include "tests/support/environment.h"
#include "tests/support/forked_ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "colonnade/comm/collectives.h"
#include "colonnade/comm/peer_process.h"

namespace colonnade {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Numbers that processes tell each other outside of a group.
class Told {
 public:
  Told() {
    memory_ = mmap(nullptr, sizeof(*numbers()), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0);
    ::new (memory_) std::array<std::atomic<int>, 8>{};
  }
  ~Told() { munmap(memory_, sizeof(*numbers())); }
  std::atomic<int>& operator[](int i) const { return (*numbers())[static_cast<size_t>(i)]; }

 private:
  std::array<std::atomic<int>, 8>* numbers() const {
    return static_cast<std::array<std::atomic<int>, 8>*>(memory_);
  }
  void* memory_;
};

/// Nobody of this process's children is left.
bool has_no_children() { return waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD; }

class ProcessRanksTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::threads_of_this_process() > 1) GTEST_SKIP() << "a sanitizer has a thread here";
  }
};

TEST_F(ProcessRanksTest, EachRankIsAProcessOfItsOwn) {
  const Told told;
  {
    ProcessRanks ranks({.ranks = 3, .crowded = true}, [&](Group& group) {
      told[group.rank()] = getpid();
      barrier(group, "test");
    });
    barrier(ranks.group(), "test");
    EXPECT_NE(told[1], told[2]);
    EXPECT_NE(told[1], getpid());
    EXPECT_NE(told[1], 0);
  }
  EXPECT_TRUE(has_no_children());
}

TEST_F(ProcessRanksTest, WhatABodyThrowsTheCallerReads) {
  ProcessRanks ranks({.ranks = 2, .crowded = true}, [](Group&) { throw Error("bad file"); });
  EXPECT_THAT(test::thrown_by([&] { barrier(ranks.group(), "test"); }),
              AllOf(StartsWith("CommError: rank 1 of 2 (process "), HasSubstr("failed: bad file")));
}

TEST_F(ProcessRanksTest, TheCallerHearsWhatKilledARank) {
  ProcessRanks ranks({.ranks = 2, .crowded = true}, [](Group&) { raise(SIGKILL); });
  EXPECT_THAT(test::thrown_by([&] { barrier(ranks.group(), "test"); }),
              HasSubstr("was killed by signal 9 (Killed); rank 0 waited for it in test"));
}

TEST_F(ProcessRanksTest, OneThatDoesNotEndIsKilled) {
  {
    ProcessRanks ranks({.ranks = 2, .crowded = true}, [](Group&) { pause(); });
  }
  EXPECT_TRUE(has_no_children());
}

TEST_F(ProcessRanksTest, DieWithTheirCallerAndIgnoreCtrlC) {
  const Told told;
  const int caller = fork();
  if (caller == 0) {
    ProcessRanks ranks({.ranks = 2, .crowded = true}, [&](Group&) {
      raise(SIGINT);
      told[1] = getpid();
      for (;;) pause();
    });
    for (;;) pause();
  }
  while (told[1] == 0) std::this_thread::yield();
  EXPECT_EQ(kill(told[1], 0), 0);
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  const PeerProcess rank(told[1]);
  while (!rank.has_ended()) std::this_thread::yield();
}

TEST_F(ProcessRanksTest, AreRefusedWhereThreadsRunAlready) {
  std::atomic<bool> end{false};
  std::thread other([&] {
    while (!end) std::this_thread::yield();
  });
  EXPECT_THAT(test::thrown_by([] { ProcessRanks({.ranks = 2}, [](Group&) {}); }),
              HasSubstr("this process has 2 threads already"));
  end = true;
  other.join();
}

}  // namespace
}  // namespace colonnade
