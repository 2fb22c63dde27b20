#include "colonnade/nn/mlp.h"

#include <utility>

namespace colonnade {

GatedMlp::GatedMlp(ParamSet& params, const std::string& prefix, LinearDims dims, GluKind kind)
    : GatedMlp(params, prefix, dims, kind,
               params.sharded_leaf(prefix + "ffn_down.weight", dims.out)) {}

GatedMlp::GatedMlp(ParamSet& params, const std::string& prefix, LinearDims dims, GluKind kind,
                   int64_t leaf)
    : kind_(kind),
      hidden_(params.cut().part(dims.out, leaf)),
      gate_(params, prefix + "ffn_gate", dims, hidden_),
      up_(params, prefix + "ffn_up", dims, hidden_),
      down_(params, prefix + "ffn_down", {dims.out, dims.in}, hidden_,
            {LeafRule::sharded_to_all, leaf}) {}

Tensor GatedMlp::operator()(Ctx& cx, const Activations& x, Tensor residual) const {
  const Activations hidden = glu_matmul(cx, x, gate_.term(), up_.term(), kind_, down_.weight());
  return down_(cx, hidden, std::move(residual));
}

}  // namespace colonnade
