// Names of tensors that several families have in common, to be joined to a family's own.
#pragma once

#include <array>
#include <cstddef>

#include "colonnade/models/tensor_names.h"

namespace colonnade {

/// The rules of `a`, then those of the others.
template <size_t A, size_t B, typename... Others>
constexpr auto join(const std::array<NameRule, A>& a, const std::array<NameRule, B>& b,
                    const Others&... others) {
  std::array<NameRule, A + B> all{};
  for (size_t i = 0; i < A; ++i) all[i] = a[i];
  for (size_t i = 0; i < B; ++i) all[A + i] = b[i];
  if constexpr (sizeof...(others) == 0) {
    return all;
  } else {
    return join(all, others...);
  }
}

// --- GGUF ---

inline constexpr auto kFusedQkvNames = std::to_array<NameRule>({
    {"blk.#.attn_q", "blk.#.attn_qkv", Piece::q},
    {"blk.#.attn_k", "blk.#.attn_qkv", Piece::k},
    {"blk.#.attn_v", "blk.#.attn_qkv", Piece::v},
});

inline constexpr auto kStackedExpertNames = std::to_array<NameRule>({
    {"blk.#.ffn_gate.@", "blk.#.ffn_gate_exps", Piece::expert},
    {"blk.#.ffn_up.@", "blk.#.ffn_up_exps", Piece::expert},
    {"blk.#.ffn_down.@", "blk.#.ffn_down_exps", Piece::expert},
});

// --- Hugging Face, models that are built as Llama is ---

/// The ends, and what stands around attention and MLP.
inline constexpr auto kHfFrameNames = std::to_array<NameRule>({
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.attn_output", "model.layers.#.self_attn.o_proj"},
    {"blk.#.ffn_norm", "model.layers.#.post_attention_layernorm"},
});

inline constexpr auto kHfQkvNames = std::to_array<NameRule>({
    {"blk.#.attn_q", "model.layers.#.self_attn.q_proj"},
    {"blk.#.attn_k", "model.layers.#.self_attn.k_proj"},
    {"blk.#.attn_v", "model.layers.#.self_attn.v_proj"},
});

inline constexpr auto kHfQkNormNames = std::to_array<NameRule>({
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm"},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm"},
});

inline constexpr auto kHfMlpNames = std::to_array<NameRule>({
    {"blk.#.ffn_gate", "model.layers.#.mlp.gate_proj"},
    {"blk.#.ffn_up", "model.layers.#.mlp.up_proj"},
    {"blk.#.ffn_down", "model.layers.#.mlp.down_proj"},
});

/// A buffer of older files.
inline constexpr auto kHfRotaryBuffer = std::to_array<NameRule>({
    {"", "model.layers.#.self_attn.rotary_emb.inv_freq", Piece::unused},
});

inline constexpr auto kLlamaNames =
    join(kHfFrameNames, kHfQkvNames, kHfQkNormNames, kHfMlpNames, kHfRotaryBuffer);

}  // namespace colonnade
