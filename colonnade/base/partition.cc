#include "colonnade/base/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int64_t kLargestTotal = int64_t{1} << 53;  // ideal shares are computed in f64

std::vector<double> equal_shares(int ranks) {
  CN_CHECK(ranks >= 1, "partition: ranks: expected at least 1, got ", ranks);
  return std::vector<double>(static_cast<size_t>(ranks), 1.0);
}

const std::vector<double>& counted_shares(const std::vector<double>& shares, int ranks) {
  CN_CHECK(static_cast<int64_t>(shares.size()) == ranks,
           "partition: shares: expected one for each of ", ranks, " ranks, got ", shares.size());
  return shares;
}

void check_arguments(int64_t total, int64_t unit, const std::vector<double>& shares) {
  CN_CHECK(total >= 0 && total < kLargestTotal, "partition: total: expected 0 to 2^53 - 1, got ",
           total);
  CN_CHECK(unit >= 1, "partition: unit: expected at least 1, got ", unit);
  CN_CHECK(!shares.empty(), "partition: shares: expected at least one rank, got none");
  for (size_t r = 0; r < shares.size(); ++r) {
    CN_CHECK(std::isfinite(shares[r]) && shares[r] > 0.0, "partition: share of rank ", r,
             ": expected a finite number above 0, got ", shares[r]);
  }
}

/// Whole units per rank, out of ceil(total / unit).
struct UnitCounts {
  std::vector<int64_t> count;    // [N]
  std::vector<double> fraction;  // [N] ideal number of units minus its floor
  std::vector<int>
      rounded_up;  // ranks that got one more than the floor, those with the largest fraction first
};

/// Largest remainder: everyone the floor of the ideal, then one more by falling fraction, ties to
/// the lower rank.
UnitCounts divide_units(int64_t units, double ideal_units, const std::vector<double>& shares) {
  // Relative to the largest: products and the sum stay finite, and equal shares are exactly 1.
  const double largest = *std::max_element(shares.begin(), shares.end());
  double sum = 0.0;
  for (const double share : shares) sum += share / largest;
  UnitCounts result;
  std::vector<int> order(shares.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t left = units;
  for (const double share : shares) {
    const double ideal = ideal_units * (share / largest) / sum;
    // min: rounding of `ideal` must not hand out more than there is.
    const int64_t whole = std::min(left, static_cast<int64_t>(ideal));
    result.count.push_back(whole);
    result.fraction.push_back(ideal - static_cast<double>(whole));
    left -= whole;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return result.fraction[a] > result.fraction[b]; });
  for (int64_t i = 0; i < left; ++i) {
    const int rank = order[static_cast<size_t>(i) % order.size()];
    ++result.count[static_cast<size_t>(rank)];
    result.rounded_up.push_back(rank);
  }
  return result;
}

/// The last rank that holds anything holds the short unit. If its count was rounded down, the short
/// unit would stand for one of the whole ones it is due and leave it up to two units poorer, so it
/// takes one from the last rank rounded up.
void compensate_short_unit(UnitCounts& units) {
  size_t last = units.count.size() - 1;
  while (units.count[last] == 0) --last;
  const bool rounded_up = std::find(units.rounded_up.begin(), units.rounded_up.end(),
                                    static_cast<int>(last)) != units.rounded_up.end();
  if (rounded_up || units.rounded_up.empty()) return;
  --units.count[static_cast<size_t>(units.rounded_up.back())];
  ++units.count[last];
}

}  // namespace

Partition::Partition(int64_t total, int64_t unit, int ranks)
    : Partition(total, unit, equal_shares(ranks)) {}

Partition::Partition(int64_t total, int64_t unit, int ranks, const std::vector<double>& shares)
    : Partition(total, unit, shares.empty() ? equal_shares(ranks) : counted_shares(shares, ranks)) {
}

Partition::Partition(int64_t total, int64_t unit, const std::vector<double>& shares)
    : total_(total), unit_(unit) {
  check_arguments(total, unit, shares);
  const int64_t units = total / unit + (total % unit != 0 ? 1 : 0);
  const double ideal_units = static_cast<double>(total) / static_cast<double>(unit);
  UnitCounts divided = divide_units(units, ideal_units, shares);
  if (total % unit != 0) compensate_short_unit(divided);
  int64_t end_units = 0;
  for (const int64_t count : divided.count) {
    end_units += count;
    ends_.push_back(end_units == units ? total : end_units * unit);
  }
}

Range Partition::of(int rank) const {
  CN_CHECK(rank >= 0 && rank < ranks(), "partition: rank: expected 0 to ", ranks() - 1, ", got ",
           rank);
  const size_t r = static_cast<size_t>(rank);
  return {r == 0 ? 0 : ends_[r - 1], ends_[r]};
}

int Partition::owner_of(int64_t index) const {
  CN_CHECK(index >= 0 && index < total_, "partition: index: expected 0 to ", total_ - 1, ", got ",
           index);
  return static_cast<int>(std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
}

}  // namespace colonnade
