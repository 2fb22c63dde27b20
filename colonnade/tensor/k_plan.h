// KPlan: how the reduction dimension of a weight is cut into leaves, segments and runs. The
// weight's packed panels and the activations' codes both follow it.
#pragma once

#include <cstdint>
#include <vector>

#include "colonnade/base/range.h"
#include "colonnade/tensor/weight_format.h"

namespace colonnade {

/// Width of a leaf of every product but the sharded-to-all one. Source: docs/numerics.md section 3.
constexpr int64_t kLeaf = 512;

/// The leaf of a sharded-to-all layer: the largest granule * 2^j that is <= 512 and gives at least
/// 32 leaves (the granule if none does); above 128 leaves the cap doubles. `granule` is 32 for
/// grouped weights, 1 for dense ones. Source: docs/numerics.md section 4.
int64_t leaf_size(int64_t k, int64_t granule);

/// Blocks (runs) that share the scale behind them: super_block(format) ∩ leaf; where there is none,
/// a leaf.
struct KSegment {
  int32_t blocks = 0;
  bool ends_leaf = false;
};

/// Elements [k_begin, k_begin + length) of a rank's row: weight group ∩ activation group.
struct KRun {
  int32_t k_begin = 0;
  int32_t length = 0;
  int32_t group = 0;  // the activation group it lies in
};

/// What a plan is made of.
struct KCut {
  int64_t k = 0;         // elements of a whole row
  Range slice;           // this rank's part of it, cut at leaf boundaries
  int64_t leaf = kLeaf;  // leaves are [leaf i, leaf (i + 1)) of the whole row
};

class KPlan {
 public:
  /// Throws Error if the slice is not made of whole leaves, or a whole row is no multiple of the
  /// format's group.
  KPlan(WeightFormat format, const KCut& cut);
  /// A whole row in leaves of kLeaf.
  KPlan(WeightFormat format, int64_t k) : KPlan(format, KCut{k, {0, k}, kLeaf}) {}

  /// Elements of this rank's row.
  int64_t k() const { return cut_.slice.size(); }
  const KCut& cut() const { return cut_; }
  /// Grouped weights only, else empty.
  const std::vector<KSegment>& segments() const { return segments_; }
  const std::vector<KRun>& runs() const { return runs_; }
  /// Element behind each leaf.
  const std::vector<int32_t>& leaf_ends() const { return leaf_ends_; }
  /// Every run is 32 long, so run b is [32 b, 32 b + 32).
  bool uniform() const { return uniform_; }

 private:
  void cut_runs(WeightFormat format);

  KCut cut_;
  std::vector<KSegment> segments_;
  std::vector<KRun> runs_;
  std::vector<int32_t> leaf_ends_;
  bool uniform_ = true;
};

/// Activation codes made for `a` serve weights cut as `b`.
bool same_runs(const KPlan& a, const KPlan& b);

}  // namespace colonnade
