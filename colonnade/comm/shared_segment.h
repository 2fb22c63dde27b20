// SharedSegment: the memory that the ranks of one machine share, and who of them lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "colonnade/base/wait_point.h"
#include "colonnade/comm/board.h"

namespace colonnade {

enum class RankState : int32_t { absent, alive, left, failed };

/// How a rank is.
struct alignas(128) RankLife {
  static constexpr size_t kWords = 1000;
  static constexpr size_t kWhere = 200;

  std::atomic<int64_t> beats{0};  // counts up while it lives and waits or reports
  std::atomic<int64_t> progress{0};
  std::atomic<RankState> state{RankState::absent};
  std::atomic<int32_t> process{0};  // 0: not known yet
  char words[kWords] = {};          // its last, written before `state`

  /// While it sleeps. `waits` counts and is odd meanwhile; `missing`: for which ranks, a bit each
  /// of the first 64, as of look number `looks`.
  std::atomic<int64_t> waits{0};
  std::atomic<uint64_t> missing{0};
  std::atomic<int64_t> looks{0};
  char where[kWhere] = {};  // written before `waits`
};

/// A rank that is lost is lost for every group of the segment.
struct Loss {
  int rank;
  std::string words;  // "was killed by signal 9 (Killed)"
};

/// Anonymous shared memory, which forked processes inherit: it has no name, so nothing can be left
/// behind, and takes nothing of /dev/shm. A page is there once somebody touches it: each rank
/// touches its own first. Thread-safe.
class SharedSegment {
 public:
  /// Throws Error if the system has no memory for it, with the size.
  SharedSegment(int ranks, int64_t part_bytes);
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  int ranks() const { return ranks_; }
  int64_t part_bytes() const { return part_bytes_; }
  RankLife& life(int rank) const;
  /// Where `rank` sleeps; whoever may have made its condition true wakes it.
  WaitPoint& bell(int rank) const;
  void wake(int rank) const {
    if (bell(rank).has_sleepers()) bell(rank).wake();
  }
  void wake_all() const;

  /// `rank` is going to be this process. So its death is seen even before it has come.
  void expect(int rank, int process) const { life(rank).process.store(process); }
  /// `rank` says no more: wakes everybody. `state`: left, or failed with its last words.
  void end(int rank, RankState state, const std::string& words) const noexcept;
  /// Says for all that `rank` is lost, unless somebody is already.
  void give_up(int rank, const std::string& words) const noexcept;
  /// The first rank that is lost.
  std::optional<Loss> loss() const;
  /// Counts ranks that have ended or were given up.
  std::atomic<int64_t>& endings() const;

  /// The board of all ranks.
  Board board() const { return board(0, ranks_); }
  /// Room for a group of `members`, whose boards live until each member has released it; -1 if
  /// there is none left.
  int add_board(int members) const;
  Board board(int number, int members) const;
  void release_board(int number) const;

 private:
  struct Control;

  Control& control() const { return *reinterpret_cast<Control*>(memory_); }
  int32_t reuse_board(int members, int64_t bytes) const;

  int ranks_;
  int64_t part_bytes_;
  int64_t bytes_ = 0;
  std::byte* memory_ = nullptr;
};

}  // namespace colonnade
