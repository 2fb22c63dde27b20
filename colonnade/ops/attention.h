// Attention over the paged KV cache, with what stands around it: q and k norms, rotation, append.
#pragma once

#include <span>

#include "colonnade/tensor/activations.h"
#include "colonnade/tensor/commands.h"
#include "colonnade/tensor/ctx.h"

namespace colonnade {

/// Cosines and sines of every position. Source: Su et al. 2021, "RoFormer"; docs/numerics.md
/// section 2.
struct RopeTable {
  Tensor cosines;  // [positions, rotary / 2] f32
  Tensor sines;    // [positions, rotary / 2] f32
  RopeLayout layout = RopeLayout::half;
};

/// One layer's attention, this rank's heads.
struct AttentionParams {
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int group = 1;           // query heads per KV head in the whole model
  int first_in_group = 0;  // place of this rank's first query head in its group
  float scale = 1;
  int64_t window = 0;  // positions seen, 0: all
  const RopeTable* rope = nullptr;
  Tensor q_norm = {};  // [head_dim] RMSNorm of each query head before rotation, or none
  Tensor k_norm = {};
  float norm_eps = 0;
  float softcap = 0;   // scores become softcap * tanh(score / softcap); 0: they do not
  Tensor slopes = {};  // [heads] of ALiBi: a score loses slope * distance; or none
  Tensor sinks = {};   // [heads]: a score of nothing beside those of the keys; or none
};

/// The step's sequences and the cache that they use. Must live until Device::join.
struct KvStep {
  const KvLayout* layout = nullptr;
  std::span<const SequenceSpan> sequences;  // together all rows of the step
};

/// softmax(q k^T scale) v per head, as activations of `consumer` (K = heads * head_dim). Rotates q
/// and k, writes k and v into the pages, then every token reads its own back from there.
///   qkv  [T, (heads + 2 kv_heads) * head_dim] f32, columns q, k, v; q and k are overwritten
/// Throws Error if the shapes disagree or a position lies outside the rope table.
/// Source: docs/numerics.md section 5; Press et al. 2022, "ALiBi"; Gemma Team 2024, "Gemma 2" (soft
/// caps); Xiao et al. 2024, "Attention Sinks".
Activations attention(Ctx& cx, const Tensor& qkv, const AttentionParams& params, const KvStep& step,
                      int64_t layer, const Weight& consumer);

}  // namespace colonnade
