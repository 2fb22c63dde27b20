// How `total` things are divided among ranks in whole units: heads, columns, rows, vocabulary,
// layers, leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "colonnade/base/range.h"

namespace colonnade {

/// Part `part` of `parts` of `units` whole units: what Partition(units, 1, parts).of(part) is,
/// without its checks and memory, for workers that divide every command among themselves.
constexpr Range even_part(int64_t units, int64_t parts, int64_t part) {
  const int64_t each = units / parts;
  const int64_t more = units % parts;  // the first ones get one more
  const int64_t begin = part * each + (part < more ? part : more);
  return {begin, begin + each + (part < more ? 1 : 0)};
}

/// The ranges are contiguous, in rank order and complete. Boundaries are multiples of `unit`; the
/// last unit is short when `total` is no multiple of it. Each size is within one unit of total *
/// share / (sum of shares). Equal shares: sizes differ by at most one unit, the first ranks get the
/// bigger pieces, and with fewer units than ranks the last are empty.
class Partition {
 public:
  /// Equal shares. Throws Error unless 0 <= total < 2^53, unit >= 1, ranks >= 1.
  Partition(int64_t total, int64_t unit, int ranks);

  /// Rank r gets shares[r] / sum(shares). Throws Error as above, and unless every share is finite
  /// and above 0.
  Partition(int64_t total, int64_t unit, const std::vector<double>& shares);

  /// As above, and throws Error unless there is one share per rank; no shares at all mean equal
  /// ones.
  Partition(int64_t total, int64_t unit, int ranks, const std::vector<double>& shares);

  int64_t total() const { return total_; }
  int64_t unit() const { return unit_; }
  int ranks() const { return static_cast<int>(ends_.size()); }

  /// The range of `rank`. Throws Error unless 0 <= rank < ranks().
  Range of(int rank) const;

  /// The rank whose range holds `index`. Throws Error unless 0 <= index < total().
  int owner_of(int64_t index) const;

 private:
  int64_t total_;
  int64_t unit_;
  std::vector<int64_t> ends_;  // [N] end of each rank's range
};

}  // namespace colonnade
