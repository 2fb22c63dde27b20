#include "colonnade/device/bandwidth.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "colonnade/base/error.h"
#include "colonnade/base/partition.h"
#include "colonnade/base/range.h"
#include "colonnade/tensor/memory.h"

namespace colonnade {
namespace {

constexpr int64_t kStepBytes = 256;  // four lines, eight independent accumulators
// The hardware's own prefetcher stops at every 4 KiB page. Into the second cache: +7 % over into
// the first, and the same from 4 to 32 KiB ahead (Sapphire Rapids, one thread; 64-byte loads then
// add nothing).
constexpr int64_t kPrefetchBytes = 8192;
constexpr int kSecondCache = 2;
constexpr uint64_t kPattern = 0x0101010101010101;

using Word = uint64_t __attribute__((vector_size(32), may_alias));

/// The or of all words of [begin, end): cheap, and no load can be left out.
uint64_t read_all(const std::byte* begin, const std::byte* end) {
  Word seen[8] = {};
  for (const std::byte* at = begin; at < end; at += kStepBytes) {
    for (int line = 0; line < 4; ++line) {
      __builtin_prefetch(at + kPrefetchBytes + line * 64, 0, kSecondCache);
    }
    const Word* words = reinterpret_cast<const Word*>(at);
    for (int i = 0; i < 8; ++i) seen[i] |= words[i];
  }
  for (int i = 1; i < 8; ++i) seen[0] |= seen[i];
  return seen[0][0] | seen[0][1] | seen[0][2] | seen[0][3];
}

enum class Action : uint8_t { write, read };

struct Job {
  std::byte* data;
  const Partition* parts;
  std::vector<uint64_t>* seen;  // [threads]
};

void run_part(void* context, const std::byte* command, int64_t /*sequence*/, int worker) {
  const Job& job = *static_cast<Job*>(context);
  Action action;
  std::memcpy(&action, command, sizeof action);
  const Range part = job.parts->of(worker);
  if (part.empty()) return;
  if (action == Action::write) {
    // The thread that reads touches first; and untouched pages would all be one cached page of
    // zeros.
    std::memset(job.data + part.begin, 1, static_cast<size_t>(part.size()));
  } else {
    (*job.seen)[static_cast<size_t>(worker)] = read_all(job.data + part.begin, job.data + part.end);
  }
}

double seconds_of(ThreadPool& pool, Action action) {
  const auto begin = std::chrono::steady_clock::now();
  pool.submit(&action, sizeof action, /*meets=*/true);
  pool.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

double measure_read_bandwidth(const ThreadPoolOptions& pool_options,
                              const BandwidthOptions& options) {
  CN_CHECK(options.bytes >= 1 && options.passes >= 1,
           "measure_read_bandwidth: expected bytes and passes above 0, got ", options.bytes,
           " and ", options.passes);
  const int64_t steps = (options.bytes - 1) / kStepBytes + 1;
  const Memory memory = allocate_host_memory(steps * kStepBytes);
  const Partition parts(memory.bytes(), kStepBytes, pool_options.threads);
  std::vector<uint64_t> seen(static_cast<size_t>(pool_options.threads), kPattern);
  Job job{memory.data(), &parts, &seen};
  ThreadPool pool(pool_options, run_part, &job);
  seconds_of(pool, Action::write);
  double best_s = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < options.passes; ++pass) {
    best_s = std::min(best_s, seconds_of(pool, Action::read));
  }
  for (const uint64_t word : seen) {
    CN_ASSERT(word == kPattern, "measure_read_bandwidth: read ", word);
  }
  return static_cast<double>(memory.bytes()) / best_s;
}

}  // namespace colonnade
