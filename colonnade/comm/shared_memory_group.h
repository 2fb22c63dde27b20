// SharedMemoryGroup: ranks that share memory, as threads of one process or as processes of one
// machine.
#pragma once

#include <memory>
#include <vector>

#include "colonnade/base/wait_point.h"
#include "colonnade/comm/group.h"
#include "colonnade/comm/peer_process.h"
#include "colonnade/comm/shared_segment.h"

namespace colonnade {

/// A rank writes its part where the others read it. One exchange is a store of a counter and loads
/// of N - 1 others, on lines of their own; who waits longer than a moment sleeps. A process that
/// dies is noticed within kPeriod by whoever waits.
class SharedMemoryGroup final : public Group {
 public:
  static constexpr std::chrono::milliseconds kPeriod{20};

  /// `rank`'s place in the segment; of a process each rank makes its own, behind fork().
  SharedMemoryGroup(std::shared_ptr<SharedSegment> segment, int rank, Patience patience);
  /// Leaves: who still waits for this rank hears so.
  ~SharedMemoryGroup() override;

  int rank() const override { return rank_; }
  int size() const override { return segment_->ranks(); }
  int64_t largest_part() const override { return segment_->part_bytes(); }
  std::byte* outbox() override { return segment_->slot(rank_, published_ + 1); }
  void publish(int64_t bytes) override;
  Parts collect(const char* operation) override;
  [[noreturn]] void fail_together(const Failure& failure) override;
  void set_timeout(double seconds) override { timeout_s_ = seconds; }
  void beat(int64_t progress) override;
  int64_t progress_of(int rank) const override;
  void abandon(const std::string& words) noexcept override;
  void check() override;
  GroupStats stats() const override { return stats_; }

 private:
  /// Of a rank that is waited for.
  struct Peer {
    PeerProcess process;
    int64_t beats;   // when it was looked at last
    double quiet_s;  // since it gave a sign of life; time in which this rank itself stood still
                     // (Ctrl-Z) does not count
  };

  void announce(int64_t bytes);
  void wait_for_all(const char* operation);
  bool all_have_published(int64_t number) const;
  /// Looks after those that are missing; throws CommError.
  void look_around(const char* operation, double passed_s);
  [[noreturn]] void lose(int peer, const std::string& what, const char* operation);
  [[noreturn]] void raise_failure(int64_t number) const;

  const std::shared_ptr<SharedSegment> segment_;
  const int rank_;
  const Patience patience_;
  std::vector<Peer> peers_;                        // [N]
  std::vector<std::span<const std::byte>> parts_;  // [N]
  int64_t published_ = 0;
  int64_t collected_ = 0;
  double timeout_s_ = 0;
  std::string death_;  // why the group is dead; empty: it lives
  GroupStats stats_;
};

}  // namespace colonnade
