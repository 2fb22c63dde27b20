#include <algorithm>

#include "colonnade/base/error.h"
#include "colonnade/models/common_names.h"
#include "colonnade/models/family.h"

namespace colonnade {
namespace {

// Some layers may have an MLP in place of experts.
constexpr auto kHfNames = join(kHfFrameNames, kHfQkvNames, kHfQkNormNames, kHfMlpNames,
                               std::to_array<NameRule>({
                                   {"blk.#.ffn_gate_inp", "model.layers.#.mlp.gate"},
                                   {"blk.#.ffn_gate.@", "model.layers.#.mlp.experts.@.gate_proj"},
                                   {"blk.#.ffn_up.@", "model.layers.#.mlp.experts.@.up_proj"},
                                   {"blk.#.ffn_down.@", "model.layers.#.mlp.experts.@.down_proj"},
                               }));

/// Every so many layers one has experts, but for those that are listed.
void choose_layers(const HfConfig& fields, DecoderConfig& c) {
  const int64_t step = fields.integer_or("decoder_sparse_step", 1);
  if (step < 1) fields.refuse("decoder_sparse_step", "1 or more");
  const std::vector<int64_t> without = fields.integers("mlp_only_layers");
  for (const int64_t layer : without) {
    CN_CHECK(layer >= 0 && layer < c.layers, fields.place("mlp_only_layers"),
             ": expected layers from 0 to ", c.layers - 1, ", got ", layer);
  }
  for (int64_t i = 0; i < c.layers; ++i) {
    const bool listed = std::find(without.begin(), without.end(), i) != without.end();
    c.kinds[static_cast<size_t>(i)].experts = !listed && (i + 1) % step == 0;
  }
}

RouterKind router_of(bool normalised) {
  return normalised ? RouterKind::choose_then_softmax : RouterKind::softmax_then_choose;
}

}  // namespace

// Source: Qwen Team 2025, "Qwen3 Technical Report", section 2. To divide the probabilities of the
// chosen by their sum is a softmax over the chosen.
const Family kQwen3Moe = {
    .architecture = "qwen3moe",
    .model_type = "qwen3_moe",
    .configure = [](DecoderConfig& c) { c.qk_norm = true; },
    .configure_gguf =
        [](const GgufMetadata& keys, DecoderConfig& c) {
          c.router = router_of(keys.flag_or("qwen3moe.expert_weights_norm", true));
        },
    .configure_hf =
        [](const HfConfig& fields, DecoderConfig& c) {
          refuse_unless(fields, "use_sliding_window", false);
          read_experts(fields, "moe_intermediate_size", c);
          choose_layers(fields, c);
          c.router = router_of(fields.flag_or("norm_topk_prob", false));
        },
    .add_gguf_keys =
        [](const DecoderConfig& c, GgufKeys& keys) {
          keys.flag("qwen3moe.expert_weights_norm", c.router == RouterKind::choose_then_softmax);
        },
    .gguf_names = kStackedExpertNames,
    .hf_names = kHfNames,
    .hf_defaults =
        R"({"use_sliding_window": false, "max_position_embeddings": 32768, "num_key_value_heads": 4})"};

}  // namespace colonnade
