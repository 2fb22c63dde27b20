// Self-attention: fused q, k, v, rotation, cache, heads, output.
#pragma once

#include <string>

#include "colonnade/nn/linear.h"
#include "colonnade/ops/attention.h"

namespace colonnade {

struct AttentionDims {
  int64_t dim = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int64_t window = 0;  // 0: all positions
  float scale = 1;
  float norm_eps = 0;                     // of q and k norms
  Presence bias = Presence::optional;     // of q, k and v
  Presence qk_norm = Presence::optional;  // norms of the heads of q and k
  float softcap = 0;                      // of scores; 0: none
  bool sinks = false;                     // every head has one
  bool interleaved = false;  // the files hold rotated pairs side by side, to be taken apart
};

/// How a layer tells positions apart; what it points to must outlive the layer.
struct AttentionPositions {
  const RopeTable* rope = nullptr;  // rotary, or null
  const Tensor* slopes = nullptr;   // [H_r] of ALiBi, or null
};

/// A rank's heads: query heads in units of one, and every KV head that they use.
struct HeadShare {
  Range heads;
  Range kv_heads;

  HeadShare(const Cut& cut, const AttentionDims& dims);
};

/// Source: Vaswani et al. 2017, "Attention Is All You Need"; Ainslie et al. 2023, "GQA".
class Attention {
 public:
  /// Declares `prefix`attn_q [H Dh, D], attn_k, attn_v [Hkv Dh, D] cut by heads, attn_output [D, H
  /// Dh] cut alike, attn_q_norm, attn_k_norm [Dh] if they are required or the files have them, and
  /// attn_sinks [H] if there are any.
  Attention(ParamSet& params, const std::string& prefix, const AttentionDims& dims,
            const AttentionPositions& positions);

  const Weight* q() const { return q_.weight(); }
  const Weight* k() const { return k_.weight(); }
  const Weight* v() const { return v_.weight(); }
  /// x as activations of q(), k(), v() -> [T, D], plus `residual`.
  Tensor operator()(Ctx& cx, const Activations& x, const KvStep& step, int64_t layer,
                    Tensor residual) const;

 private:
  AttentionDims dims_;
  HeadShare share_;
  AttentionPositions positions_;
  AllToShardedLinear q_;
  AllToShardedLinear k_;
  AllToShardedLinear v_;
  ShardedToAllLinear output_;
  Tensor q_norm_;  // [Dh] or none
  Tensor k_norm_;
  Tensor sinks_;  // [H_r] or none
};

}  // namespace colonnade
