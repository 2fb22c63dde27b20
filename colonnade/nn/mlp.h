// The gated MLP: down(act(gate(x)) * up(x)).
#pragma once

#include <string>

#include "colonnade/nn/linear.h"

namespace colonnade {

/// Source: Shazeer 2020, "GLU Variants Improve Transformer".
class GatedMlp {
 public:
  /// Declares `prefix`ffn_gate, ffn_up [F, D] cut by rows and ffn_down [D, F] cut by columns, all
  /// at leaves of ffn_down.
  GatedMlp(ParamSet& params, const std::string& prefix, LinearDims dims, GluKind kind);

  /// Who reads the MLP's input.
  const Weight* gate() const { return gate_.weight(); }
  const Weight* up() const { return up_.weight(); }
  /// x as activations of gate() and up() -> [T, D], plus `residual`.
  Tensor operator()(Ctx& cx, const Activations& x, Tensor residual) const;

 private:
  GatedMlp(ParamSet& params, const std::string& prefix, LinearDims dims, GluKind kind,
           int64_t leaf);

  GluKind kind_;
  Range hidden_;  // this rank's part of F
  AllToShardedLinear gate_;
  AllToShardedLinear up_;
  ShardedToAllLinear down_;
};

}  // namespace colonnade
