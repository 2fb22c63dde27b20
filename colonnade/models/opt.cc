#include "colonnade/models/family.h"

namespace colonnade {
namespace {

constexpr NameRule kHfNames[] = {
    {"token_embd", "decoder.embed_tokens"},
    {"position_embd", "decoder.embed_positions"},
    {"project_in", "decoder.project_in"},
    {"project_out", "decoder.project_out"},
    {"output_norm", "decoder.final_layer_norm"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "decoder.layers.#.self_attn_layer_norm"},
    {"blk.#.attn_q", "decoder.layers.#.self_attn.q_proj"},
    {"blk.#.attn_k", "decoder.layers.#.self_attn.k_proj"},
    {"blk.#.attn_v", "decoder.layers.#.self_attn.v_proj"},
    {"blk.#.attn_output", "decoder.layers.#.self_attn.out_proj"},
    {"blk.#.ffn_norm", "decoder.layers.#.final_layer_norm"},
    {"blk.#.ffn_up", "decoder.layers.#.fc1"},
    {"blk.#.ffn_down", "decoder.layers.#.fc2"},
};

/// The 350M normalises behind each block, and has no norm at the end.
void set_norms(DecoderConfig& c, bool before) {
  c.norms_before = before;
  c.norms_after = !before;
  c.final_norm = before;
}

constexpr NamePrefix kHfPrefixes[] = {{"model.", ""}};

}  // namespace

// Source: Zhang et al. 2022, "OPT", section 2, and its released code: positions begin at row 2 of
// their table; the 350M normalises behind each block and is narrower at its ends. No writer of GGUF
// files knows it: Colonnade's own does (docs/models.md).
const Family kOpt = {
    .architecture = "opt",
    .model_type = "opt",
    .configure =
        [](DecoderConfig& c) {
          c.norm = NormKind::layer;
          c.positions = Positions::learned;
          c.position_offset = 2;
          c.activation = Activation::relu;
          c.gated_mlp = false;
        },
    .configure_gguf = [](const GgufMetadata& keys,
                         DecoderConfig& c) { set_norms(c, keys.flag_or("opt.norm_before", true)); },
    .configure_hf =
        [](const HfConfig& fields, DecoderConfig& c) {
          set_norms(c, fields.flag_or("do_layer_norm_before", true));
          if (fields.flag_or("_remove_final_layer_norm", false)) c.final_norm = false;
          if (fields.has("word_embed_proj_dim"))
            c.embedding_dim = size_within(fields, "word_embed_proj_dim", int64_t{1} << 24);
          refuse_unless(fields, "layer_norm_elementwise_affine", true);
        },
    .add_gguf_keys = [](const DecoderConfig& c,
                        GgufKeys& keys) { keys.flag("opt.norm_before", c.norms_before); },
    .hf_names = kHfNames,
    .hf_prefixes = kHfPrefixes,
    .tied = true};

}  // namespace colonnade
