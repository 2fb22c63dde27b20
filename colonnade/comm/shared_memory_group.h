// SharedMemoryGroup: ranks that share memory, as threads of one process or as processes of one
// machine.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "colonnade/comm/group.h"
#include "colonnade/comm/group_members.h"
#include "colonnade/comm/operation_history.h"
#include "colonnade/comm/rank_mail.h"
#include "colonnade/comm/rank_seat.h"
#include "colonnade/comm/shared_segment.h"

namespace colonnade {

/// A rank writes its part where the others read it. One exchange is a store of a counter and loads
/// of N - 1 others, on lines of their own; who waits longer than a moment sleeps.
class SharedMemoryGroup final : public Group {
 public:
  /// `rank`'s place in the segment; of a process each rank makes its own, behind fork().
  SharedMemoryGroup(std::shared_ptr<SharedSegment> segment, int rank, Patience patience,
                    Checking checking = kDefaultChecking);
  ~SharedMemoryGroup() override;

  int rank() const override { return self_; }
  int size() const override { return board_.members(); }
  int64_t largest_part() const override { return board_.part_bytes(); }
  std::byte* outbox() override { return board_.slot(self_, published_ + 1); }
  void publish(int64_t bytes) override;
  Parts collect(const char* operation) override;
  [[noreturn]] void fail_together(const Failure& failure) override;
  void send(std::span<const std::byte> bytes, int peer, int tag) override;
  std::vector<std::byte> recv(int peer, int tag) override;
  std::unique_ptr<Group> split(int color, int key) override;
  void set_timeout(double seconds) override { seat_->set_timeout(seconds); }
  void set_on_wait(std::function<void()> f) override { seat_->set_on_wait(std::move(f)); }
  void beat(int64_t progress) override { seat_->beat(progress); }
  int64_t progress_of(int rank) const override;
  void abandon(const std::string& words) noexcept override { seat_->abandon(words); }
  void check() override { seat_->check(); }
  GroupStats stats() const override { return stats_; }

 private:
  SharedMemoryGroup(std::shared_ptr<RankSeat> seat, int board, GroupMembers members,
                    Checking checking);

  void announce(int64_t bytes);
  bool all_have_published(int64_t number) const;
  /// All parts of the published exchange; `operation` is nullptr for one that another rank knows.
  Parts collect_parts(const char* operation);
  void wait_for_all(const char* operation);
  void find_parts();
  bool has_failure() const;
  void check_operations(const char* operation);
  void check_histories();
  [[noreturn]] void disagree(const std::string& how);
  [[noreturn]] void raise_failure(int64_t number);

  const std::shared_ptr<RankSeat> seat_;
  const int board_number_;
  const GroupMembers members_;
  const Board board_;
  const int self_;  // this rank in this group
  const Checking checking_;
  RankMail mail_;
  std::vector<std::span<const std::byte>> parts_;  // [N]
  OperationHistory history_;
  int64_t published_ = 0;
  int64_t collected_ = 0;
  GroupStats stats_;
};

}  // namespace colonnade
