#include "colonnade/models/family.h"

namespace colonnade {
namespace {

constexpr NameRule kGgufNames[] = {
    {"blk.#.attn_q", "blk.#.attn_qkv", Piece::q},
    {"blk.#.attn_k", "blk.#.attn_qkv", Piece::k},
    {"blk.#.attn_v", "blk.#.attn_qkv", Piece::v},
    {"blk.#.ffn_gate", "blk.#.ffn_up", Piece::first_half},
    {"blk.#.ffn_up", "blk.#.ffn_up", Piece::second_half},
};

constexpr NameRule kHfNames[] = {
    {"token_embd", "model.embed_tokens"},
    {"output_norm", "model.norm"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.attn_q", "model.layers.#.self_attn.qkv_proj", Piece::q},
    {"blk.#.attn_k", "model.layers.#.self_attn.qkv_proj", Piece::k},
    {"blk.#.attn_v", "model.layers.#.self_attn.qkv_proj", Piece::v},
    {"blk.#.attn_output", "model.layers.#.self_attn.o_proj"},
    {"blk.#.ffn_norm", "model.layers.#.post_attention_layernorm"},
    {"blk.#.ffn_gate", "model.layers.#.mlp.gate_up_proj", Piece::first_half},
    {"blk.#.ffn_up", "model.layers.#.mlp.gate_up_proj", Piece::second_half},
    {"blk.#.ffn_down", "model.layers.#.mlp.down_proj"},
};

}  // namespace

// Source: Abdin et al. 2024, "Phi-3 Technical Report", section 2.
const Family kPhi3 = {.architecture = "phi3",
                      .model_type = "phi3",
                      .configure = [](DecoderConfig&) {},
                      .gguf_names = kGgufNames,
                      .hf_names = kHfNames};

}  // namespace colonnade
