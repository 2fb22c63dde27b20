// RankSeat: one rank's place among those that share memory: how it lives, and how it waits for the
// others.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "colonnade/base/cpu_pause.h"
#include "colonnade/base/error.h"
#include "colonnade/base/wait_point.h"
#include "colonnade/comm/peer_process.h"
#include "colonnade/comm/shared_segment.h"

namespace colonnade {

/// What a rank waits for.
struct Awaited {
  const char* operation;  // nullptr: none is under way
  const char* what;       // "exchange"
  int64_t number;
  /// Whether `rank`, another one, is still missing.
  const std::function<bool(int rank)>& missing;
};

/// Shared by all groups that the rank is in: it leaves with the last of them, and one that is dead
/// is dead in all. One thread at a time. A process that dies is noticed within kPeriod by whoever
/// waits for anything.
class RankSeat {
 public:
  static constexpr std::chrono::milliseconds kPeriod{20};

  /// Throws Error for a rank that the segment does not have.
  RankSeat(std::shared_ptr<SharedSegment> segment, int rank, Patience patience);
  /// Leaves: who still waits for this rank hears so.
  ~RankSeat();
  RankSeat(const RankSeat&) = delete;
  RankSeat& operator=(const RankSeat&) = delete;

  int rank() const { return rank_; }
  const SharedSegment& segment() const { return *segment_; }

  void set_timeout(double seconds) { timeout_s_ = seconds; }
  /// Called about every kPeriod while it waits; what it throws wait() throws.
  void set_on_wait(std::function<void()> f) { on_wait_ = std::move(f); }
  void beat(int64_t progress) {
    segment_->life(rank_).progress.store(progress, std::memory_order_relaxed);
    beat();
  }
  void abandon(const std::string& words) noexcept;
  /// Throws CommError if this rank's groups are dead.
  void require_life() const {
    if (!death_.empty()) throw CommError(death_);
  }
  /// Throws CommError if any rank is lost, has left, or has given no sign of life at checks for
  /// longer than the timeout.
  void check();

  /// Returns once ready() holds. Throws CommError if a rank is lost, if a missing one has left, or
  /// if it gives no sign of life for longer than the timeout.
  template <typename Ready>
  void wait(const Ready& ready, const Awaited& awaited) {
    if (spin_until(ready)) return;
    sleep_until(ready, awaited);
  }

 private:
  /// A rank that is or may be waited for.
  struct Peer {
    PeerProcess process{0};
    int number = 0;      // of that process
    int64_t beats = -1;  // when it was looked at last
    int64_t waits = 0;   // of it, since this rank waits for it and it for this rank
    int64_t since = 0;   // its looks when that was first seen
    double quiet_s = 0;  // since it gave a sign of life; time in which this rank itself stood still
                         // (Ctrl-Z) does not count
  };

  /// A peer that is about to publish does so within this many looks; each takes as long as the
  /// line needs to come.
  static constexpr int kLooks = 64;

  template <typename Ready>
  bool spin_until(const Ready& ready) const {
    if (ready()) return true;
    if (patience_ == Patience::yield) return false;
    for (int look = 0; look < kLooks; ++look) {
      cpu_pause();
      if (ready()) return true;
    }
    return false;
  }

  /// `ready` by reference to a function: this is the slow way.
  void sleep_until(const std::function<bool()>& ready, const Awaited& awaited);
  /// relaxed: a hint, orders nothing.
  void beat() { segment_->life(rank_).beats.fetch_add(1, std::memory_order_relaxed); }
  /// Throws if what has ended concerns this rank.
  void mind_endings(const Awaited& awaited);
  /// Says in shared memory for whom this rank waits.
  void tell_missing(const Awaited& awaited);
  void look_around(const Awaited& awaited, double passed_s);
  void look_at(int rank, const Awaited& awaited, double passed_s);
  /// Throws if `rank` waits for this one, which waits for it.
  void look_for_circle(int rank, const Awaited& awaited);
  Peer& peer(int rank);
  std::string name_of(int rank) const;
  static std::string condition_of(const Peer& peer, RankState state);
  /// As well as this rank can know.
  std::string condition_of(const Loss& loss);
  [[noreturn]] void lose(const Loss& loss, const Awaited& awaited);

  const std::shared_ptr<SharedSegment> segment_;
  const int rank_;
  const Patience patience_;
  std::vector<Peer> peers_;  // [N]
  int64_t minded_ = 0;       // of the segment's endings
  double timeout_s_ = 0;
  std::chrono::steady_clock::time_point checked_ = std::chrono::steady_clock::now();
  std::function<void()> on_wait_;
  std::string death_;  // why this rank's groups are dead; empty: they live
};

}  // namespace colonnade
