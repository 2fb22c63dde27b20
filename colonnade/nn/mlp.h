// The MLP of a decoder: down(act(gate(x)) * up(x)), or down(act(up(x))).
#pragma once

#include <optional>
#include <string>

#include "colonnade/nn/linear.h"

namespace colonnade {

struct MlpDims {
  int64_t dim = 0;
  int64_t hidden = 0;  // F
  Activation activation = Activation::silu;
  bool gated = true;
  double tokens_share = 1;  // MatrixParam
};

/// Source: Shazeer 2020, "GLU Variants Improve Transformer"; Vaswani et al. 2017, section 3.3 (the
/// one without a gate).
class Mlp {
 public:
  /// Declares `prefix`ffn_gate (if gated), ffn_up [F, D] cut by rows and ffn_down [D, F] cut by
  /// columns, all at leaves of ffn_down, and the biases that the files have. `suffix` stands behind
  /// the names: ".3" of expert 3.
  Mlp(ParamSet& params, const std::string& prefix, const MlpDims& dims,
      const std::string& suffix = "");

  /// Who reads the MLP's input; null: no gate.
  const Weight* gate() const { return gate_ ? gate_->weight() : nullptr; }
  const Weight* up() const { return up_.weight(); }
  /// x as activations of gate() and up() -> [T, D], plus `residual`.
  Tensor operator()(Ctx& cx, const Activations& x, Tensor residual) const;

  /// What down() reads. `scales` [T] or none.
  Activations hidden(Ctx& cx, const Activations& x, Tensor scales = {}) const;
  const ShardedToAllLinear& down() const { return down_; }

 private:
  Mlp(ParamSet& params, const std::string& prefix, const MlpDims& dims, const std::string& suffix,
      int64_t leaf);

  Activation activation_;
  Range hidden_;  // this rank's part of F
  std::optional<AllToShardedLinear> gate_;
  AllToShardedLinear up_;
  ShardedToAllLinear down_;
};

}  // namespace colonnade
