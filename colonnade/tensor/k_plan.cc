#include "colonnade/tensor/k_plan.h"

#include <algorithm>
#include <limits>

#include "colonnade/base/error.h"
#include "colonnade/tensor/grouped_format.h"

namespace colonnade {
namespace {

constexpr int64_t kActivationGroup = 32;  // docs/numerics.md section 3
constexpr int64_t kFewestLeaves = 32;
constexpr int64_t kMostLeaves = 128;

/// The boundaries along K at which a run of `format` ends. Sub-groups of 16 are paired into one
/// run, unless a leaf begins inside a sub-group: its halves would then be cut in the wrong place.
int64_t weight_group(WeightFormat format, int64_t leaf) {
  const int64_t group = grouped_format(format).group;
  return group == 16 && leaf % 16 == 0 ? 32 : group;
}

/// Next multiple of `unit` behind `k`.
int64_t boundary_behind(int64_t k, int64_t unit) { return (k / unit + 1) * unit; }

bool same_run(const KRun& a, const KRun& b) {
  return a.k_begin == b.k_begin && a.length == b.length && a.group == b.group;
}

void check(WeightFormat format, const KCut& cut) {
  const int64_t group =
      is_grouped(format) ? std::max<int64_t>(super_block(format), grouped_format(format).group) : 1;
  CN_CHECK(cut.k >= 0 && cut.k <= std::numeric_limits<int32_t>::max() && cut.k % group == 0,
           "weight of format ", name_of(format), ": K: expected a multiple of ", group,
           " below 2^31, got ", cut.k);
  CN_CHECK(cut.leaf >= 1, "weight: leaf: expected at least 1, got ", cut.leaf);
  const Range slice = cut.slice;
  const bool whole_leaves =
      slice.begin % cut.leaf == 0 && (slice.end % cut.leaf == 0 || slice.end == cut.k);
  CN_CHECK(0 <= slice.begin && slice.begin <= slice.end && slice.end <= cut.k && whole_leaves,
           "weight: slice of K: expected whole leaves of ", cut.leaf, " within [0, ", cut.k,
           "), got [", slice.begin, ", ", slice.end, ")");
}

}  // namespace

int64_t leaf_size(int64_t k, int64_t granule) {
  CN_CHECK(k >= 0 && granule >= 1, "leaf size: expected K >= 0 and a granule >= 1, got ", k,
           " and ", granule);
  for (int64_t cap = kLeaf;; cap *= 2) {
    int64_t leaf = granule;
    while (leaf * 2 <= cap && (k + leaf * 2 - 1) / (leaf * 2) >= kFewestLeaves) leaf *= 2;
    if ((k + leaf - 1) / leaf <= kMostLeaves) return leaf;
  }
}

KPlan::KPlan(WeightFormat format, const KCut& cut) : cut_(cut) {
  check(format, cut);
  for (int64_t end = cut.slice.begin; end < cut.slice.end;) {
    end = std::min(boundary_behind(end, cut.leaf), cut.slice.end);
    leaf_ends_.push_back(static_cast<int32_t>(end - cut.slice.begin));
  }
  if (is_grouped(format)) cut_runs(format);
}

void KPlan::cut_runs(WeightFormat format) {
  const int64_t begin = cut_.slice.begin;
  const int64_t cell = weight_group(format, cut_.leaf);
  // Where blocks have their own scales, the leaf alone ends a segment.
  const int64_t super = super_block(format);
  int32_t group = -1;
  int64_t leaf_begin = begin;
  for (const int32_t leaf_end_here : leaf_ends_) {
    const int64_t leaf_end = begin + leaf_end_here;
    int64_t group_end = leaf_begin;
    segments_.emplace_back();
    for (int64_t k = leaf_begin; k < leaf_end;) {
      if (k == group_end) {
        ++group;
        group_end = std::min(k + kActivationGroup, leaf_end);
      }
      if (super > 0 && k % super == 0 && k > leaf_begin) segments_.emplace_back();
      const int64_t end = std::min(group_end, boundary_behind(k, cell));
      runs_.push_back({static_cast<int32_t>(k - begin), static_cast<int32_t>(end - k), group});
      uniform_ = uniform_ && end - k == kActivationGroup;
      ++segments_.back().blocks;
      k = end;
    }
    segments_.back().ends_leaf = true;
    leaf_begin = leaf_end;
  }
}

bool same_runs(const KPlan& a, const KPlan& b) {
  if (&a == &b) return true;
  if (a.k() != b.k()) return false;
  if (a.uniform() && b.uniform()) return a.runs().size() == b.runs().size();
  return std::equal(a.runs().begin(), a.runs().end(), b.runs().begin(), b.runs().end(), same_run);
}

}  // namespace colonnade
