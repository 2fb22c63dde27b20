// SharedSegment: the memory that the ranks of one machine share, and who of them lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "colonnade/base/wait_point.h"

namespace colonnade {

enum class RankState : int32_t { absent, alive, left, failed };

/// Parts of an exchange that stand in memory at once: one that is being read, one that is
/// published, one that is being written.
constexpr int kSlots = 3;

/// What a rank says; written by it alone. Lines of their own: the prefetcher fetches pairs.
struct alignas(128) RankLine {
  std::atomic<int64_t> published{0};  // exchanges
  int64_t bytes[kSlots] = {};         // of its parts; -1: a failure stands there
};

/// How a rank is.
struct alignas(128) RankLife {
  static constexpr size_t kWords = 1000;

  std::atomic<int64_t> beats{0};  // counts up while it lives and waits or reports
  std::atomic<int64_t> progress{0};
  std::atomic<RankState> state{RankState::absent};
  std::atomic<int32_t> process{0};  // 0: a thread of this one
  char words[kWords] = {};          // its last, written before `state`
};

struct alignas(128) Bell {
  WaitPoint point{Sharing::machine};
};

/// Anonymous shared memory, which forked processes inherit: it has no name, so nothing can be left
/// behind, and takes nothing of /dev/shm. A page is there once somebody touches it: each rank
/// touches its own first.
class SharedSegment {
 public:
  /// Throws Error if the system has no memory for it, with the size.
  SharedSegment(int ranks, int64_t part_bytes);
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  int ranks() const { return ranks_; }
  int64_t part_bytes() const { return part_bytes_; }
  RankLine& line(int rank) const { return lines_[rank]; }
  RankLife& life(int rank) const { return lives_[rank]; }
  WaitPoint& bell(int rank) const { return bells_[rank].point; }
  /// Where `rank` writes its part of exchange `number`.
  std::byte* slot(int rank, int64_t number) const {
    return slots_ + (rank * kSlots + number % kSlots) * part_bytes_;
  }
  /// The first rank that is lost, or -1.
  std::atomic<int32_t>& lost() const { return *lost_; }

  /// `rank` says no more: wakes everybody. Async-signal-safe apart from the copy of `words`.
  void end(int rank, RankState state, const std::string& words) const noexcept;

 private:
  int ranks_;
  int64_t part_bytes_;
  std::byte* memory_ = nullptr;
  int64_t bytes_ = 0;
  std::atomic<int32_t>* lost_ = nullptr;
  RankLine* lines_ = nullptr;   // [N]
  RankLife* lives_ = nullptr;   // [N]
  Bell* bells_ = nullptr;       // [N]
  std::byte* slots_ = nullptr;  // [N, kSlots, part_bytes]
};

}  // namespace colonnade
