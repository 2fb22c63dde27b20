// Ranks that are processes, forked by the test: to kill, to stop, and to compare with threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "colonnade/comm/group.h"
#include "colonnade/comm/shared_segment.h"
#include "colonnade/comm/thread_ranks.h"

namespace colonnade::test {

/// How a rank ended.
struct ChildResult {
  int rank = 0;
  int process = 0;
  int exit_code = -1;  // 0: its body returned, 1: it threw, 2: it failed an expectation; -1: killed
  int signal = 0;      // what killed it
  std::string thrown = {};  // "CommError: " and what(), by the kind of the exception; or empty
};

/// Who is rank 0.
enum class Caller : uint8_t { is_rank_0, is_none };

/// A segment and its ranks, each in a process of its own that runs `body` and ends.
class ForkedRanks {
 public:
  ForkedRanks(const RankOptions& options, const RankBody& body, Caller caller = Caller::is_rank_0);
  /// Kills the ranks that still run.
  ~ForkedRanks();
  ForkedRanks(const ForkedRanks&) = delete;
  ForkedRanks& operator=(const ForkedRanks&) = delete;

  /// The caller's, if it is rank 0.
  Group& group() { return *group_; }
  SharedSegment& segment() { return *segment_; }
  void leave() { group_.reset(); }

  int process(int rank) const;
  void send_signal(int rank, int signal) const;
  /// Returns once `rank` stands still.
  void wait_until_stopped(int rank) const;
  /// Waits for the forked ranks. One that still runs after a minute is killed and fails the test.
  std::vector<ChildResult> wait();

 private:
  class Words;

  std::shared_ptr<SharedSegment> segment_;
  std::unique_ptr<Words> words_;
  std::unique_ptr<Group> group_;
  std::vector<ChildResult> children_;
  bool waited_ = false;
};

/// Runs `body` as every rank, rank 0 in the calling process, and waits; by rank. `ranks` are more
/// than there are CPUs.
std::vector<ChildResult> run_as_processes(int ranks, const RankBody& body);
std::vector<ChildResult> run_as_processes(const RankOptions& options, const RankBody& body);

/// What `body` throws, as ChildResult::thrown has it.
std::string thrown_by(const std::function<void()>& body);

}  // namespace colonnade::test
