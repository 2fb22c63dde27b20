#include "colonnade/models/decoder.h"

#include <cmath>
#include <string>
#include <utility>

#include "colonnade/ops/embed.h"

namespace colonnade {
namespace {

/// Rows can be loaded as half rotation wants them when it takes the whole head. Where a part of the
/// head is not rotated, the pairs stay side by side.
bool pairs_side_by_side(const DecoderConfig& c) {
  return c.interleaved_qk && c.rotary_dim != c.head_dim;
}

std::string prefix_of(int64_t layer) { return "blk." + std::to_string(layer) + "."; }

}  // namespace

AttentionDims attention_dims(const DecoderConfig& c) {
  return {.dim = c.dim,
          .heads = c.heads,
          .kv_heads = c.kv_heads,
          .head_dim = c.head_dim,
          .window = c.window,
          .scale = 1.0F / std::sqrt(static_cast<float>(c.head_dim)),
          .norm_eps = c.norm_eps,
          .bias = c.qkv_bias ? Presence::required : Presence::optional,
          .qk_norm = c.qk_norm ? Presence::required : Presence::optional,
          .interleaved = c.interleaved_qk && !pairs_side_by_side(c)};
}

DecoderLayer::DecoderLayer(ParamSet& params, const DecoderConfig& c, int64_t layer,
                           const RopeTable& rope)
    : layer_(layer),
      attention_name_(prefix_of(layer) + "attention"),
      layer_name_(prefix_of(layer) + "out"),
      attention_norm_(params, prefix_of(layer) + "attn_norm", c.dim, c.norm_eps),
      attention_(params, prefix_of(layer), attention_dims(c), rope),
      mlp_norm_(params, prefix_of(layer) + "ffn_norm", c.dim, c.norm_eps),
      mlp_(params, prefix_of(layer), {c.dim, c.ffn_dim}, c.activation) {}

Tensor DecoderLayer::operator()(Ctx& cx, Tensor x, const KvStep& step) const {
  const Activations a = attention_norm_(cx, x, {attention_.q(), attention_.k(), attention_.v()});
  x = attention_(cx, a, step, layer_, std::move(x));
  cx.show(attention_name_, x);
  const Activations m = mlp_norm_(cx, x, {mlp_.gate(), mlp_.up()});
  x = mlp_(cx, m, std::move(x));
  cx.show(layer_name_, x);
  return x;
}

Decoder::Decoder(ParamSet& params, const DecoderConfig& config)
    : config_(config),
      heads_(params.cut(), attention_dims(config)),
      frequencies_(rope_frequencies(config)),
      ends_(params, config.vocab, config.dim),
      final_norm_(params, "output_norm", config.dim, config.norm_eps) {
  rope_.layout = pairs_side_by_side(config) ? RopeLayout::interleaved : RopeLayout::half;
  for (int64_t i = 0; i < config.layers; ++i) {
    layers_.push_back(std::make_unique<DecoderLayer>(params, config, i, rope_));
  }
}

void Decoder::reserve_positions(Device& device, int64_t positions) {
  extend_rope_table(device, frequencies_, positions, rope_);
}

Tensor Decoder::operator()(Ctx& cx, const DecoderInput& input) const {
  Tensor x = ends_.embed(cx, input.ids);
  cx.show("embedding", x);
  for (const auto& layer : layers_) x = (*layer)(cx, std::move(x), input.kv);
  if (!input.out_rows) return {};
  x = select_rows(cx, x, input.out_rows);
  return ends_.logits(cx, final_norm_(cx, x, {ends_.head()}));
}

}  // namespace colonnade
