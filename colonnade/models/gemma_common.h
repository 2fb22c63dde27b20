// What the Gemma families have in common.
#pragma once

#include "colonnade/models/decoder_config.h"
#include "colonnade/models/tensor_names.h"

namespace colonnade {

/// Norms before and behind attention and MLP, a scaled embedding, a tied head.
void configure_gemma(DecoderConfig& config);

/// Of a model with so many layers, the largest of its family, scores are scaled by 1 / sqrt(D / H)
/// in place of 1 / sqrt(head_dim): GGUF files do not say so.
void scale_by_width(DecoderConfig& config, int64_t layers);

/// Norm weights stand in the files less 1; in GGUF files they do not.
inline constexpr NameRule kGemmaNames[] = {
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm", Piece::whole, Form::minus_one},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "model.layers.#.input_layernorm", Piece::whole, Form::minus_one},
    {"blk.#.attn_q", "model.layers.#.self_attn.q_proj"},
    {"blk.#.attn_k", "model.layers.#.self_attn.k_proj"},
    {"blk.#.attn_v", "model.layers.#.self_attn.v_proj"},
    {"blk.#.attn_output", "model.layers.#.self_attn.o_proj"},
    {"blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm", Piece::whole, Form::minus_one},
    {"blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm", Piece::whole, Form::minus_one},
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm", Piece::whole,
     Form::minus_one},
    {"blk.#.ffn_norm", "model.layers.#.pre_feedforward_layernorm", Piece::whole, Form::minus_one},
    {"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm", Piece::whole,
     Form::minus_one},
    {"blk.#.ffn_gate", "model.layers.#.mlp.gate_proj"},
    {"blk.#.ffn_up", "model.layers.#.mlp.up_proj"},
    {"blk.#.ffn_down", "model.layers.#.mlp.down_proj"},
};

}  // namespace colonnade
