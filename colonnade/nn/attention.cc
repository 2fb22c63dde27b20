#include "colonnade/nn/attention.h"

#include <utility>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

Range scaled(Range range, int64_t factor) { return {range.begin * factor, range.end * factor}; }

}  // namespace

HeadShare::HeadShare(const Cut& cut, const AttentionDims& dims) : heads(cut.part(dims.heads, 1)) {
  CN_CHECK(dims.kv_heads > 0 && dims.heads % dims.kv_heads == 0,
           "attention: expected query heads to be a multiple of KV heads, got ", dims.heads,
           " and ", dims.kv_heads);
  const int64_t group = dims.heads / dims.kv_heads;
  if (!heads.empty()) kv_heads = {heads.begin / group, (heads.end - 1) / group + 1};
}

Attention::Attention(ParamSet& params, const std::string& prefix, const AttentionDims& dims,
                     const AttentionPositions& positions)
    : dims_(dims),
      share_(params.cut(), dims),
      positions_(positions),
      q_(params, prefix + "attn_q", {dims.dim, int64_t{dims.heads} * dims.head_dim},
         scaled(share_.heads, dims.head_dim), dims.bias, dims.interleaved ? dims.head_dim : 0),
      k_(params, prefix + "attn_k", {dims.dim, int64_t{dims.kv_heads} * dims.head_dim},
         scaled(share_.kv_heads, dims.head_dim), dims.bias, dims.interleaved ? dims.head_dim : 0),
      v_(params, prefix + "attn_v", {dims.dim, int64_t{dims.kv_heads} * dims.head_dim},
         scaled(share_.kv_heads, dims.head_dim), dims.bias),
      output_(params, prefix + "attn_output", {int64_t{dims.heads} * dims.head_dim, dims.dim},
              scaled(share_.heads, dims.head_dim), {LeafRule::fixed, dims.head_dim}) {
  const Range whole = {0, dims.head_dim};
  params.add(VectorParam{.name = prefix + "attn_q_norm.weight",
                         .size = dims.head_dim,
                         .range = whole,
                         .slot = &q_norm_},
             dims.qk_norm);
  params.add(VectorParam{.name = prefix + "attn_k_norm.weight",
                         .size = dims.head_dim,
                         .range = whole,
                         .slot = &k_norm_},
             dims.qk_norm);
  if (!dims.sinks) return;
  params.add(VectorParam{.name = prefix + "attn_sinks.weight",
                         .size = dims.heads,
                         .range = share_.heads,
                         .slot = &sinks_});
}

Tensor Attention::operator()(Ctx& cx, const Activations& x, const KvStep& step, int64_t layer,
                             Tensor residual) const {
  const Tensor qkv = matmul(cx, x, {q_.term(), k_.term(), v_.term()});
  const int group = dims_.heads / dims_.kv_heads;
  const AttentionParams params{.heads = static_cast<int>(share_.heads.size()),
                               .kv_heads = static_cast<int>(share_.kv_heads.size()),
                               .head_dim = dims_.head_dim,
                               .group = group,
                               .first_in_group = static_cast<int>(share_.heads.begin % group),
                               .scale = dims_.scale,
                               .window = dims_.window,
                               .rope = positions_.rope,
                               .q_norm = q_norm_,
                               .k_norm = k_norm_,
                               .norm_eps = dims_.norm_eps,
                               .softcap = dims_.softcap,
                               .slopes = positions_.slopes ? *positions_.slopes : Tensor{},
                               .sinks = sinks_};
  const Activations heads = attention(cx, qkv, params, step, layer, output_.weight());
  return output_(cx, heads, std::move(residual));
}

}  // namespace colonnade
