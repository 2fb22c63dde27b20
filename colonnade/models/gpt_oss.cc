#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {
namespace {

constexpr auto kGgufNames =
    join(kStackedExpertNames, std::to_array<NameRule>({
                                  {"blk.#.ffn_norm", "blk.#.post_attention_norm"},
                              }));

// Rows of gate and up stand in turns. Dense experts stand as [in, out], those in MXFP4 as [out,
// in].
constexpr auto kHfNames = join(
    kHfFrameNames, kHfQkvNames,
    std::to_array<NameRule>({
        {"blk.#.attn_sinks.weight", "model.layers.#.self_attn.sinks"},
        {"blk.#.ffn_gate_inp", "model.layers.#.mlp.router"},
        {"blk.#.ffn_gate.@.weight", "model.layers.#.mlp.experts.gate_up_proj", Piece::expert_even,
         Form::transposed},
        {"blk.#.ffn_up.@.weight", "model.layers.#.mlp.experts.gate_up_proj", Piece::expert_odd,
         Form::transposed},
        {"blk.#.ffn_down.@.weight", "model.layers.#.mlp.experts.down_proj", Piece::expert,
         Form::transposed},
        {"blk.#.ffn_gate.@.bias", "model.layers.#.mlp.experts.gate_up_proj_bias",
         Piece::expert_even},
        {"blk.#.ffn_up.@.bias", "model.layers.#.mlp.experts.gate_up_proj_bias", Piece::expert_odd},
        {"blk.#.ffn_down.@.bias", "model.layers.#.mlp.experts.down_proj_bias", Piece::expert},
    }));

/// The constants of its unit are those that the kernels have.
void check_unit(const HfConfig& fields) {
  if (fields.number_or("swiglu_limit", 7) != 7) fields.refuse("swiglu_limit", "7");
  if (fields.number_or("swiglu_alpha", 1.702) != 1.702) fields.refuse("swiglu_alpha", "1.702");
}

}  // namespace

// Source: OpenAI 2025, "gpt-oss-120b & gpt-oss-20b Model Card", section 2: every second layer sees
// a window, attention sinks, experts with biases and a clamped unit; YaRN whose ramp is not rounded
// to whole dimensions.
const Family kGptOss = {
    .architecture = "gpt-oss",
    .model_type = "gpt_oss",
    .configure =
        [](DecoderConfig& c) {
          c.qkv_bias = true;
          c.sinks = true;
          c.window_period = 2;
          c.router = RouterKind::choose_then_softmax;
        },
    .configure_gguf =
        [](const GgufMetadata&, DecoderConfig& c) {
          c.activation = Activation::clamped_silu;
          c.rope_scaling.truncate = false;
        },
    .configure_hf =
        [](const HfConfig& fields, DecoderConfig& c) {
          check_unit(fields);
          // Without it the rotation is a YaRN that only transformers names.
          if (!fields.has("rope_parameters")) fields.object("rope_scaling");
          c.activation = Activation::clamped_silu;
          read_experts(fields, "intermediate_size", c);
        },
    .gguf_names = kGgufNames,
    .hf_names = kHfNames,
    .hf_defaults =
        R"({"head_dim": 64, "num_key_value_heads": 8, "sliding_window": 128, "rope_theta": 150000,
        "max_position_embeddings": 131072})"};

}  // namespace colonnade
