// A mixture of experts: every token goes to a few of many MLPs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "colonnade/nn/linear.h"
#include "colonnade/nn/mlp.h"
#include "colonnade/ops/route.h"

namespace colonnade {

struct ExpertDims {
  int64_t dim = 0;
  int64_t hidden = 0;  // of one expert
  Activation activation = Activation::silu;
  int64_t experts = 0;
  int chosen = 0;  // of a token
  RouterKind router = RouterKind::softmax_then_choose;
};

/// Every expert is cut by its hidden size, as an MLP is, so all ranks share the work of each token
/// and no rank waits for another's expert. The sum over the experts of a token is one exact sum,
/// factors being in what their last products read.
/// Source: Shazeer et al. 2017, "Outrageously Large Neural Networks"; Fedus et al. 2021.
class Experts {
 public:
  /// Declares `prefix`ffn_gate_inp [E, D], the router, whole on every rank, and ffn_gate.e,
  /// ffn_up.e, ffn_down.e of every expert e, with the biases that the files have.
  Experts(ParamSet& params, const std::string& prefix, const ExpertDims& dims);

  /// x [T, D] -> [T, D], plus `residual`.
  Tensor operator()(Ctx& cx, const Tensor& x, Tensor residual) const;

 private:
  ExpertDims dims_;
  AllToShardedLinear router_;
  std::vector<std::unique_ptr<Mlp>> experts_;
};

}  // namespace colonnade
