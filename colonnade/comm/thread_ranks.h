// Ranks that are threads of this process.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "colonnade/comm/group.h"
#include "colonnade/comm/shared_segment.h"

namespace colonnade {

/// What a rank does; its group is valid until it returns.
using RankBody = std::function<void(Group& group)>;

struct RankOptions {
  int ranks = 1;
  int64_t part_bytes = int64_t{1} << 20;  // that a rank may contribute to an exchange
  bool crowded = false;  // more ranks x threads than CPUs: nobody spins
};

/// Ranks 1 .. N - 1 of a group, each running `body` in its own thread; rank 0 is the caller. What a
/// body throws the others read as its last words.
class ThreadRanks {
 public:
  /// Throws Error if the system refuses a thread.
  ThreadRanks(const RankOptions& options, RankBody body);
  /// Waits for the threads: tell them to end, or abandon group(), first.
  ~ThreadRanks();

  Group& group() { return *group_; }

 private:
  std::shared_ptr<SharedSegment> segment_;
  std::unique_ptr<Group> group_;
  std::vector<std::thread> threads_;
};

/// Runs `body` as every rank of a group of threads and waits. Throws what the first rank threw that
/// is no consequence of another's failure. For tests and small tools.
void run_as_threads(int ranks, const RankBody& body);

}  // namespace colonnade
