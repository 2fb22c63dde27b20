// Which two neighbouring tokens merge, and to what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace colonnade::text {

/// What two neighbours merge to; the smallest rank goes first.
struct Merge {
  int32_t rank;
  int32_t token;
};

/// (left, right) -> Merge. Open addressing, so that a look-up is one cache line most of the time.
class MergeTable {
 public:
  /// For up to `count` pairs.
  explicit MergeTable(size_t count);

  /// A pair that is already there is replaced.
  void insert(int32_t left, int32_t right, Merge merge);

  /// Null if the two do not merge.
  const Merge* find(int32_t left, int32_t right) const noexcept;

 private:
  struct Slot {
    uint64_t key;
    Merge merge;
  };

  // The slot of `key`, or the empty one where it would be.
  size_t slot_of(uint64_t key) const noexcept;

  std::vector<Slot> slots_;  // a power of two, at most half full
  int shift_;                // 64 - log2 of their number
};

}  // namespace colonnade::text
