#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {
namespace {

// Matrices stand as [in, out]; buffers of the causal mask are no parameters. The first released
// files have no "transformer." in front.
constexpr NameRule kHfNames[] = {
    {"token_embd", "wte"},
    {"position_embd", "wpe"},
    {"output_norm", "ln_f"},
    {"blk.#.attn_norm", "h.#.ln_1"},
    {"blk.#.attn_q", "h.#.attn.c_attn", Piece::q, Form::transposed},
    {"blk.#.attn_k", "h.#.attn.c_attn", Piece::k, Form::transposed},
    {"blk.#.attn_v", "h.#.attn.c_attn", Piece::v, Form::transposed},
    {"blk.#.attn_output", "h.#.attn.c_proj", Piece::whole, Form::transposed},
    {"blk.#.ffn_norm", "h.#.ln_2"},
    {"blk.#.ffn_up", "h.#.mlp.c_fc", Piece::whole, Form::transposed},
    {"blk.#.ffn_down", "h.#.mlp.c_proj", Piece::whole, Form::transposed},
    {"", "h.#.attn.bias", Piece::unused},
    {"", "h.#.attn.masked_bias", Piece::unused},
    {"output", "lm_head"},
};

constexpr NamePrefix kHfPrefixes[] = {{"transformer.", ""}};

}  // namespace

// GPT-2 and models of GPT-3's shapes. Source: Radford et al. 2019, "Language Models are
// Unsupervised Multitask Learners", and its released code; Brown et al. 2020, section 2.1.
const Family kGpt2 = {.architecture = "gpt2",
                      .model_type = "gpt2",
                      .configure =
                          [](DecoderConfig& c) {
                            c.norm = NormKind::layer;
                            c.positions = Positions::learned;
                            c.activation = Activation::gelu_tanh;
                            c.gated_mlp = false;
                          },
                      .configure_hf =
                          [](const HfConfig& fields, DecoderConfig&) {
                            refuse_unless(fields, "scale_attn_weights", true);
                            refuse_unless(fields, "scale_attn_by_inverse_layer_idx", false);
                            refuse_unless(fields, "add_cross_attention", false);
                          },
                      .gguf_names = kFusedQkvNames,
                      .hf_names = kHfNames,
                      .hf_prefixes = kHfPrefixes,
                      .tied = true,
                      .hf_defaults = R"({"n_positions": 1024})"};

}  // namespace colonnade
