// Ranks that are processes of this machine, forked from this one.
#pragma once

#include <memory>
#include <vector>

#include <sys/types.h>

#include "colonnade/comm/heartbeat.h"
#include "colonnade/comm/ranks.h"
#include "colonnade/comm/shared_segment.h"

namespace colonnade {

/// Each rank but the caller's is a copy of this process as it is now. It dies with this one, hears
/// neither Ctrl-C nor a request to end (rank 0 does, and ends all), reads nothing of standard
/// input, and writes nothing.
class ProcessRanks final : public Ranks {
 public:
  ProcessRanks(const RankOptions& options, const RankBody& body);
  /// Gives them a moment to end, then kills them.
  ~ProcessRanks() override;

  Group& group() override { return *group_; }

 private:
  void start(int rank, const RankOptions& options, const RankBody& body);
  void end();

  std::shared_ptr<SharedSegment> segment_;
  std::unique_ptr<Group> group_;
  std::unique_ptr<Heartbeat> heartbeat_;
  std::vector<pid_t> children_;
};

}  // namespace colonnade
