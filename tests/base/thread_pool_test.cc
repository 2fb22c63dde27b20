#include "colonnade/base/thread_pool.h"

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include "colonnade/base/error.h"
#include "colonnade/base/partition.h"

namespace colonnade {
namespace {

/// cells[i] = op applied to the sum of all cells of `from`, for the worker's own i.
struct SumCommand {
  const int64_t* from;  // [count]
  int64_t* to;          // [count]
  int64_t count;
  int64_t add;
};

void sum_part(void* context, const std::byte* bytes, int64_t, int worker) {
  SumCommand command;
  std::memcpy(&command, bytes, sizeof(command));
  const int threads = *static_cast<const int*>(context);
  const Range part = even_part(command.count, threads, worker);
  for (int64_t i = part.begin; i < part.end; ++i) {
    int64_t sum = 0;
    for (int64_t j = 0; j < command.count; ++j) sum += command.from[j];
    command.to[i] = sum % 1000 + command.add + i;
  }
}

/// `steps` meeting commands over two arrays in turn: any worker that runs ahead reads a wrong sum.
std::vector<int64_t> chain(int threads, int steps) {
  ThreadPool pool({.threads = threads}, sum_part, &threads);
  constexpr int64_t kCount = 37;
  std::vector<int64_t> a(kCount, 1), b(kCount, 0);
  for (int s = 0; s < steps; ++s) {
    const SumCommand command{a.data(), b.data(), kCount, s};
    pool.submit(&command, sizeof(command), true);
    std::swap(a, b);
  }
  pool.join();
  return a;
}

TEST(ThreadPool, MeetingCommandsSeeEverythingBeforeThem) {
  const std::vector<int64_t> expected = chain(1, 1000);
  for (int threads : {2, 3, 7}) EXPECT_EQ(chain(threads, 1000), expected) << threads << " threads";
}

TEST(ThreadPool, FarMoreThreadsThanCpusDoNotCollapse) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(chain(64, 100), chain(1, 100));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

/// Depends on the order of what went in.
int64_t mixed(int64_t cell, int64_t add) { return (cell * 3 + add) % 1000003; }

void add_to_own(void* context, const std::byte* bytes, int64_t sequence, int worker) {
  int64_t add;
  std::memcpy(&add, bytes, sizeof(add));
  auto& cells = *static_cast<std::vector<int64_t>*>(context);
  int64_t& own = cells[static_cast<size_t>(worker)];
  own = mixed(own, add + sequence);
}

TEST(ThreadPool, EveryWorkerRunsEveryCommandInOrderWithoutMeeting) {
  constexpr int kThreads = 4;
  constexpr int64_t kCommands = 5000;  // many times around the ring
  std::vector<int64_t> cells(kThreads, 0);
  int64_t expected = 0;
  {
    ThreadPool pool({.threads = kThreads}, add_to_own, &cells);
    for (int64_t i = 0; i < kCommands; ++i) {
      const int64_t add = i % 11;
      pool.submit(&add, sizeof(add), false);
      expected = mixed(expected, add + i);
      if (i % 1000 == 0) pool.join();
    }
    EXPECT_EQ(pool.meetings(), 0);
  }
  EXPECT_EQ(cells, std::vector<int64_t>(kThreads, expected));
}

TEST(ThreadPool, CountsItsMeetings) {
  std::vector<int64_t> cells(2, 0);
  ThreadPool pool({.threads = 2}, add_to_own, &cells);
  const int64_t add = 1;
  for (bool meets : {true, false, true, true}) pool.submit(&add, sizeof(add), meets);
  EXPECT_EQ(pool.meetings(), 3);
}

TEST(ThreadPool, WorksAgainAfterItsThreadsFellAsleep) {
  std::vector<int64_t> cells(3, 0);
  ThreadPool pool({.threads = 3}, add_to_own, &cells);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const int64_t add = 1;
    pool.submit(&add, sizeof(add), true);
    pool.join();
    EXPECT_EQ(cells[0], cells[1]);
    EXPECT_EQ(cells[0], cells[2]);
  }
}

TEST(ThreadPool, SleepsBetweenRequests) {
  std::vector<int64_t> cells(2, 0);
  ThreadPool pool({.threads = 2}, add_to_own, &cells);
  const int64_t add = 1;
  pool.submit(&add, sizeof(add), true);
  pool.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::clock_t before = std::clock();  // CPU time of all threads
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 10);
}

/// The control register of the vector unit, not the one of x87 that fegetround reads, decides.
bool rounds_up() {
  volatile float one = 1.0f;
  volatile float tiny = 1e-20f;
  return one + tiny != 1.0f;
}

void record_rounding(void* context, const std::byte*, int64_t, int worker) {
  (*static_cast<std::vector<int>*>(context))[static_cast<size_t>(worker)] = rounds_up();
}

TEST(ThreadPool, EveryWorkerRoundsToNearestWhateverTheCallerDoes) {
  std::vector<int> rounding(3, -1);
  std::fesetround(FE_UPWARD);
  {
    ThreadPool pool({.threads = 3}, record_rounding, &rounding);
    const int nothing = 0;
    pool.submit(&nothing, sizeof(nothing), true);
  }
  const bool after = rounds_up();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(rounding, std::vector<int>(3, 0));
  EXPECT_TRUE(after);
}

TEST(ThreadPool, LeavesTheCallersCpusAsTheyWere) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  std::vector<int64_t> cells(2, 0);
  ThreadPool pool({.threads = 2, .pinning = Pinning::on}, add_to_own, &cells);
  const int64_t add = 1;
  pool.submit(&add, sizeof(add), true);
  pool.join();
  ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(ThreadPool, RefusesNoThreads) {
  EXPECT_THROW(ThreadPool({.threads = 0}, add_to_own, nullptr), Error);
}

}  // namespace
}  // namespace colonnade
