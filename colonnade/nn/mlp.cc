#include "colonnade/nn/mlp.h"

#include <utility>

namespace colonnade {

Mlp::Mlp(ParamSet& params, const std::string& prefix, const MlpDims& dims,
         const std::string& suffix)
    : Mlp(params, prefix, dims, suffix,
          params.sharded_leaf(prefix + "ffn_down" + suffix + ".weight", dims.hidden)) {}

Mlp::Mlp(ParamSet& params, const std::string& prefix, const MlpDims& dims,
         const std::string& suffix, int64_t leaf)
    : activation_(dims.activation),
      hidden_(params.cut().part(dims.hidden, leaf)),
      gate_(dims.gated ? std::optional<AllToShardedLinear>(
                             std::in_place, params, prefix + "ffn_gate" + suffix,
                             LinearDims{dims.dim, dims.hidden}, hidden_, Presence::optional, 0,
                             dims.tokens_share)
                       : std::optional<AllToShardedLinear>()),
      up_(params, prefix + "ffn_up" + suffix, {dims.dim, dims.hidden}, hidden_, Presence::optional,
          0, dims.tokens_share),
      down_(params, prefix + "ffn_down" + suffix, {dims.hidden, dims.dim}, hidden_,
            {LeafRule::sharded_to_all, leaf}, dims.tokens_share) {}

Activations Mlp::hidden(Ctx& cx, const Activations& x, Tensor scales) const {
  const HiddenLayer layer{.gate = gate_ ? gate_->term() : up_.term(),
                          .up = gate_ ? up_.term() : Term{},
                          .activation = activation_,
                          .scales = std::move(scales)};
  return hidden_matmul(cx, x, layer, down_.weight());
}

Tensor Mlp::operator()(Ctx& cx, const Activations& x, Tensor residual) const {
  return down_(cx, hidden(cx, x), std::move(residual));
}

}  // namespace colonnade
