// Ranks that are threads of this process.
#pragma once

#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "colonnade/comm/heartbeat.h"
#include "colonnade/comm/ranks.h"
#include "colonnade/comm/shared_segment.h"

namespace colonnade {

/// Each rank but the caller's runs in a thread of its own.
class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(const RankOptions& options, const RankBody& body);
  ~ThreadRanks() override;

  Group& group() override { return *group_; }

 private:
  std::shared_ptr<SharedSegment> segment_;
  std::unique_ptr<Group> group_;
  std::unique_ptr<Heartbeat> heartbeat_;
  std::vector<std::thread> threads_;
};

/// `rank`'s place in the segment.
std::unique_ptr<Group> make_group(std::shared_ptr<SharedSegment> segment, int rank,
                                  const RankOptions& options);

/// `body` as `rank` of the segment's group: what it throws becomes the rank's last words, and is
/// returned.
std::exception_ptr run_rank(std::shared_ptr<SharedSegment> segment, int rank,
                            const RankOptions& options, const RankBody& body);

/// Runs `body` as every rank of a group of threads and waits. Throws what the first rank threw that
/// is no consequence of another's failure. For tests and small tools.
void run_as_threads(const RankOptions& options, const RankBody& body);
/// With more ranks than CPUs.
void run_as_threads(int ranks, const RankBody& body, int64_t part_bytes = int64_t{1} << 20);

}  // namespace colonnade
