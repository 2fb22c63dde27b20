#include "colonnade/models/decoder_layer.h"

#include <cmath>

#include "colonnade/ops/matmul.h"

namespace colonnade {
namespace {

std::string prefix_of(int64_t layer) { return "blk." + std::to_string(layer) + "."; }

AttentionDims dims_of(const DecoderConfig& config, int64_t layer) {
  AttentionDims dims = attention_dims(config);
  dims.window = config.kinds[static_cast<size_t>(layer)].window;
  return dims;
}

}  // namespace

BlockNorms::BlockNorms(ParamSet& params, const DecoderConfig& c, const std::string& prefix,
                       const std::string& name, const std::string& output_name) {
  const NormDims dims{c.norm, c.dim, c.norm_eps};
  if (c.norms_before) before_.emplace(params, prefix + name, dims);
  if (c.norms_of_outputs) of_output_.emplace(params, prefix + output_name, dims);
  if (c.norms_after) after_.emplace(params, prefix + name, dims);
}

Activations BlockNorms::input(Ctx& cx, const Tensor& x,
                              std::initializer_list<const Weight*> consumers) const {
  return before_ ? (*before_)(cx, x, consumers) : activations_for(cx, x, consumers);
}

Tensor BlockNorms::input(Ctx& cx, const Tensor& x) const {
  return before_ ? before_->values(cx, x) : x;
}

AttentionDims attention_dims(const DecoderConfig& c) {
  const float usual = 1.0F / std::sqrt(static_cast<float>(c.head_dim));
  return {.dim = c.dim,
          .heads = c.heads,
          .kv_heads = c.kv_heads,
          .head_dim = c.head_dim,
          .scale = c.attention_scale > 0 ? c.attention_scale : usual,
          .norm_eps = c.norm_eps,
          .bias = c.qkv_bias ? Presence::required : Presence::optional,
          .qk_norm = c.qk_norm ? Presence::required : Presence::optional,
          .softcap = c.attention_softcap,
          .sinks = c.sinks,
          .interleaved = c.interleaved_qk && !c.pairs_side_by_side()};
}

DecoderLayer::DecoderLayer(ParamSet& params, const DecoderConfig& c, int64_t layer,
                           const AttentionPositions& positions)
    : layer_(layer),
      attention_name_(prefix_of(layer) + "attention"),
      layer_name_(prefix_of(layer) + "out"),
      attention_norms_(params, c, prefix_of(layer), "attn_norm", "post_attention_norm"),
      attention_(params, prefix_of(layer), dims_of(c, layer), positions),
      mlp_norms_(params, c, prefix_of(layer), "ffn_norm", "post_ffw_norm") {
  const std::string prefix = prefix_of(layer);
  if (c.kinds[static_cast<size_t>(layer)].experts) {
    experts_.emplace(params, prefix,
                     ExpertDims{.dim = c.dim,
                                .hidden = c.expert_ffn_dim,
                                .activation = c.activation,
                                .experts = c.experts,
                                .chosen = c.experts_per_token,
                                .router = c.router});
  } else {
    mlp_.emplace(params, prefix, MlpDims{c.dim, c.ffn_dim, c.activation, c.gated_mlp});
  }
}

Tensor DecoderLayer::through_mlp(Ctx& cx, Tensor x) const {
  const Activations m = mlp_norms_.input(cx, x, {mlp_->gate(), mlp_->up()});
  return mlp_norms_.around(cx, std::move(x),
                           [&](Tensor residual) { return (*mlp_)(cx, m, std::move(residual)); });
}

Tensor DecoderLayer::through_experts(Ctx& cx, Tensor x) const {
  const Tensor m = mlp_norms_.input(cx, x);
  return mlp_norms_.around(
      cx, std::move(x), [&](Tensor residual) { return (*experts_)(cx, m, std::move(residual)); });
}

Tensor DecoderLayer::operator()(Ctx& cx, Tensor x, const KvStep& step) const {
  const Activations a =
      attention_norms_.input(cx, x, {attention_.q(), attention_.k(), attention_.v()});
  x = attention_norms_.around(cx, std::move(x), [&](Tensor residual) {
    return attention_(cx, a, step, layer_, std::move(residual));
  });
  cx.show(attention_name_, x);
  x = experts_ ? through_experts(cx, std::move(x)) : through_mlp(cx, std::move(x));
  cx.show(layer_name_, x);
  return x;
}

}  // namespace colonnade
