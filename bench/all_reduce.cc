// What does a sum over ranks cost on one machine? int64 sums as a layer makes them: each rank has
// written its part where the others read it; publish, collect, add. Two processes on a CPU each,
// beside the limit that this machine sets, measured in the same run: half of a round trip of a flag
// between the two CPUs, then reading that many bytes which the other one has just written. Then
// four ranks on the same two CPUs.
//
//   bench_all_reduce [--plain] [--iterations N]
//
// copied: all_reduce() from and to the caller's memory, as MPI_Allreduce has it. --plain: a line
// "KIB IN_PLACE COPIED" per size, for tools/compare_all_reduce.py.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/mman.h>

#include "colonnade/base/cpu_pause.h"
#include "colonnade/base/cpu_topology.h"
#include "colonnade/base/error.h"
#include "colonnade/comm/collectives.h"
#include "colonnade/comm/ranks.h"

namespace {

using namespace colonnade;

constexpr int64_t kSizes[] = {4096, 8192, 16384, 32768, 65536};  // bytes of a part
constexpr int64_t kLargest = 65536;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

struct alignas(128) Flag {
  std::atomic<int64_t> value{0};
};

/// What two processes share beside their group.
struct Common {
  Flag flags[2];
  alignas(4096) std::byte bytes[kLargest];
};

Common& make_common() {
  void* memory =
      mmap(nullptr, sizeof(Common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CN_CHECK(memory != MAP_FAILED, "no shared memory");
  return *::new (memory) Common;
}

void pin(int rank) {
  const std::vector<int> allowed = read_cpu_topology().allowed;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(allowed[static_cast<size_t>(rank) % allowed.size()], &set);
  sched_setaffinity(0, sizeof set, &set);
}

void wait_for(const Flag& flag, int64_t value) {
  while (flag.value.load(std::memory_order_acquire) < value) {
  }
}

/// Microseconds of a round trip: the flag of rank 0 to rank 1 and back.
double round_trip(Common& common, int rank, int64_t& turn) {
  constexpr int kBlocks = 50, kTrips = 200;
  std::vector<double> blocks;
  for (int block = 0; block < kBlocks; ++block) {
    const int64_t start = now();
    for (int i = 0; i < kTrips; ++i) {
      ++turn;
      if (rank == 1) wait_for(common.flags[0], turn);
      common.flags[rank].value.store(turn, std::memory_order_release);
      if (rank == 0) wait_for(common.flags[1], turn);
    }
    blocks.push_back(static_cast<double>(now() - start) / kTrips * 1e-3);
  }
  return median(std::move(blocks));
}

/// As fast as the core can: few instructions per line, so that many lines are on their way.
int64_t read_all(const std::byte* bytes, int64_t size) {
  typedef int64_t Vector __attribute__((vector_size(32)));
  Vector sum[2] = {};
  for (int64_t at = 0; at < size; at += 64) {
    for (int64_t half = 0; half < 2; ++half) {
      Vector here;
      std::memcpy(&here, bytes + at + half * 32, sizeof here);
      sum[half] += here;
    }
  }
  sum[0] += sum[1];
  return sum[0][0] + sum[0][1] + sum[0][2] + sum[0][3];
}

/// Microseconds of reading `size` bytes that the other process has just written; measured by rank
/// 0.
double read_written(Common& common, int rank, int64_t size, int64_t& turn) {
  constexpr int kTimes = 500;
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) {
    ++turn;
    if (rank == 1) {
      wait_for(common.flags[0], turn);
      std::memset(common.bytes, i, static_cast<size_t>(size));
      common.flags[1].value.store(turn, std::memory_order_release);
    } else {
      common.flags[0].value.store(turn, std::memory_order_release);
      wait_for(common.flags[1], turn);
      const int64_t start = now();
      const volatile int64_t sum = read_all(common.bytes, size);
      times.push_back(static_cast<double>(now() - start) * 1e-3);
      (void)sum;
    }
  }
  return times.empty() ? 0 : median(std::move(times));
}

/// Begin and end of each all-reduce on this rank.
using Times = std::vector<int64_t>;

/// Microseconds of the all-reduces, on rank 0: from when the last rank has brought its part until
/// all have the sum.
std::vector<double> durations(Group& group, const Times& begins, const Times& ends) {
  const auto all_begins = all_gather(group, std::as_bytes(std::span(begins)), "begins");
  const auto all_ends = all_gather(group, std::as_bytes(std::span(ends)), "ends");
  std::vector<double> result;
  for (size_t i = 0; i < begins.size(); ++i) {
    int64_t begin = 0, end = 0;
    for (size_t r = 0; r < all_begins.size(); ++r) {
      int64_t its_begin, its_end;
      std::memcpy(&its_begin, all_begins[r].data() + i * sizeof its_begin, sizeof its_begin);
      std::memcpy(&its_end, all_ends[r].data() + i * sizeof its_end, sizeof its_end);
      begin = std::max(begin, its_begin);
      end = std::max(end, its_end);
    }
    result.push_back(static_cast<double>(end - begin) * 1e-3);
  }
  return result;
}

/// As a layer does it: the part is made where the others read it.
std::vector<double> in_place(Group& group, int64_t size, int iterations) {
  const int64_t count = size / static_cast<int64_t>(sizeof(int64_t));
  std::vector<int64_t> sums(static_cast<size_t>(count));
  Times begins, ends;
  for (int i = 0; i < iterations; ++i) {
    auto* part = reinterpret_cast<int64_t*>(group.outbox());
    for (int64_t k = 0; k < count; ++k) part[k] = i + k;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // it is written, not on its way
    begins.push_back(now());
    group.publish(size);
    const Parts parts = group.collect("in place");
    const std::byte* inputs[8];
    for (size_t r = 0; r < parts.size(); ++r) inputs[r] = parts[r].data();
    reduce(reinterpret_cast<std::byte*>(sums.data()), {inputs, parts.size()}, count, DType::i64,
           Reduction::sum);
    ends.push_back(now());
    CN_CHECK(sums[1] == group.size() * (i + 1), "a wrong sum");
  }
  return durations(group, begins, ends);
}

/// From and to memory of the caller.
std::vector<double> copied(Group& group, int64_t size, int iterations) {
  std::vector<int64_t> sums(static_cast<size_t>(size) / sizeof(int64_t));
  Times begins, ends;
  for (int i = 0; i < iterations; ++i) {
    for (size_t k = 0; k < sums.size(); ++k) sums[k] = i + static_cast<int64_t>(k);
    begins.push_back(now());
    all_reduce(group, sums, "copied");
    ends.push_back(now());
    CN_CHECK(sums[1] == group.size() * (i + 1), "a wrong sum");
  }
  return durations(group, begins, ends);
}

struct Wish {
  bool plain = false;
  int iterations = 2000;
};

void two_ranks(Group& group, Common& common, const Wish& wish) {
  pin(group.rank());
  const bool prints = group.rank() == 0;
  int64_t turn = 0;
  in_place(group, 4096, 1000);  // both have come, pages and clocks are warm
  if (prints && !wish.plain) {
    std::printf("2 ranks, processes, a CPU each; medians of %d, us\n", wish.iterations);
    std::printf("%6s %10s %10s %10s | %10s %7s | %10s\n", "KiB", "half trip", "read", "limit",
                "in place", "ratio", "copied");
  }
  for (const int64_t size : kSizes) {
    const double half = round_trip(common, group.rank(), turn) / 2;
    const double read = read_written(common, group.rank(), size, turn);
    const double mine = median(in_place(group, size, wish.iterations));
    const double copy = median(copied(group, size, wish.iterations));
    if (!prints) continue;
    if (wish.plain) {
      std::printf("%lld %.3f %.3f\n", static_cast<long long>(size / 1024), mine, copy);
    } else {
      std::printf("%6lld %10.3f %10.3f %10.3f | %10.3f %7.2f | %10.3f\n",
                  static_cast<long long>(size / 1024), half, read, half + read, mine,
                  mine / (half + read), copy);
    }
  }
}

void four_ranks(Group& group) {
  pin(group.rank());
  constexpr int kTimes = 500;
  for (const int64_t size : kSizes) {
    barrier(group, "start");
    const int64_t start = now();
    std::vector<double> each = in_place(group, size, kTimes);
    const double mean = static_cast<double>(now() - start) * 1e-3 / kTimes;
    if (group.rank() != 0) continue;
    const double worst = *std::max_element(each.begin(), each.end());
    std::printf("%6lld %10.1f %10.1f %10.1f\n", static_cast<long long>(size / 1024), mean,
                median(std::move(each)), worst);
  }
}

Wish read_wish(int argc, char** argv) {
  Wish wish;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--plain") wish.plain = true;
    if (std::string(argv[i]) == "--iterations" && i + 1 < argc)
      wish.iterations = std::atoi(argv[i + 1]);
  }
  return wish;
}

}  // namespace

int main(int argc, char** argv) {
  const Wish wish = read_wish(argc, argv);
  Common& common = make_common();
  {
    const auto body = [&](Group& group) { two_ranks(group, common, wish); };
    const auto ranks = start_ranks(RanksAs::processes, {.ranks = 2}, body);
    body(ranks->group());
  }
  if (wish.plain) return 0;
  std::printf("\n4 ranks on two CPUs, us\n%6s %10s %10s %10s\n", "KiB", "mean", "median", "worst");
  const auto ranks = start_ranks(RanksAs::processes, {.ranks = 4, .crowded = true}, four_ranks);
  four_ranks(ranks->group());
  return 0;
}
