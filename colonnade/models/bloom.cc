#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {
namespace {

constexpr NameRule kHfNames[] = {
    {"token_embd", "word_embeddings"},
    {"token_embd_norm", "word_embeddings_layernorm"},
    {"output_norm", "ln_f"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "h.#.input_layernorm"},
    {"blk.#.attn_q", "h.#.self_attention.query_key_value", Piece::q_of_heads},
    {"blk.#.attn_k", "h.#.self_attention.query_key_value", Piece::k_of_heads},
    {"blk.#.attn_v", "h.#.self_attention.query_key_value", Piece::v_of_heads},
    {"blk.#.attn_output", "h.#.self_attention.dense"},
    {"blk.#.ffn_norm", "h.#.post_attention_layernorm"},
    {"blk.#.ffn_up", "h.#.mlp.dense_h_to_4h"},
    {"blk.#.ffn_down", "h.#.mlp.dense_4h_to_h"},
};

constexpr NamePrefix kHfPrefixes[] = {{"transformer.", ""}};

}  // namespace

// Source: BigScience 2022, "BLOOM", section 3.2.
const Family kBloom = {.architecture = "bloom",
                       .model_type = "bloom",
                       .configure =
                           [](DecoderConfig& c) {
                             c.norm = NormKind::layer;
                             c.positions = Positions::alibi;
                             c.embedding_norm = true;
                             c.activation = Activation::gelu_tanh;
                             c.gated_mlp = false;
                             c.qkv_bias = true;
                           },
                       .configure_hf =
                           [](const HfConfig& fields, DecoderConfig&) {
                             refuse_unless(fields, "apply_residual_connection_post_layernorm",
                                           false);
                           },
                       .gguf_names = kFusedQkvNames,
                       .hf_names = kHfNames,
                       .hf_prefixes = kHfPrefixes,
                       .tied = true};

}  // namespace colonnade
