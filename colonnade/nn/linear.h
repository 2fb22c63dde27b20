// Products with a cut weight. Tensor parallelism is in here: a rank's AllToSharded rows feed the
// same columns of ShardedToAll.
#pragma once

#include <string>

#include "colonnade/nn/param.h"
#include "colonnade/ops/matmul.h"
#include "colonnade/ops/parallel.h"

namespace colonnade {

struct LinearDims {
  int64_t in = 0;
  int64_t out = 0;
};

/// y = x W^T + b with W cut by rows: each rank owns F_r of the F outputs (Megatron:
/// column-parallel).
///
///            x [T, D] --AllToSharded--> h [T, F_r] --ShardedToAll--> y [T, D]
///
/// Several of them that read the same x are one product: that is why it offers its term instead of
/// computing alone.
class AllToShardedLinear {
 public:
  /// Declares `name`.weight [F, D], and `name`.bias [F] if it is required or the files have it.
  /// `rows` is this rank's part.
  AllToShardedLinear(ParamSet& params, const std::string& name, LinearDims dims, Range rows,
                     Presence bias = Presence::optional, int64_t interleaved_head = 0,
                     double tokens_share = 1);
  AllToShardedLinear(const AllToShardedLinear&) = delete;
  AllToShardedLinear& operator=(const AllToShardedLinear&) = delete;

  const Weight* weight() const { return weight_.get(); }
  Term term() const { return {weight_.get(), bias_}; }

 private:
  WeightPtr weight_;  // [F_r, D]
  Tensor bias_;       // [F_r] or none
};

/// y = sum over ranks of x_r W_r^T, + b once, with W cut by columns (Megatron: row-parallel). The
/// sum is exact, so its bits do not depend on the number of ranks.
class ShardedToAllLinear {
 public:
  /// Declares `name`.weight [F, D], and `name`.bias [F] if the files have it. `cols` is this rank's
  /// part of D, at leaf boundaries.
  ShardedToAllLinear(ParamSet& params, const std::string& name, LinearDims dims, Range cols,
                     LeafRule leaf, double tokens_share = 1);
  ShardedToAllLinear(const ShardedToAllLinear&) = delete;
  ShardedToAllLinear& operator=(const ShardedToAllLinear&) = delete;

  const Weight& weight() const { return *weight_; }
  const Tensor& bias() const { return bias_; }
  /// x_r as activations of weight() -> [T, F], plus `residual` [T, F].
  Tensor operator()(Ctx& cx, const Activations& x, Tensor residual) const;

 private:
  WeightPtr weight_;  // [F, D_r]
  Tensor bias_;       // [F] or none
};

}  // namespace colonnade
