#include "colonnade/models/decoder_config.h"

#include <algorithm>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

void check_size(const char* field, int64_t value, int64_t limit) {
  CN_CHECK(value >= 1 && value <= limit, "model: ", field, ": expected 1 to ", limit, ", got ",
           value);
}

void check_experts(const DecoderConfig& config) {
  for (const LayerKind& kind : config.kinds) {
    CN_CHECK(kind.window >= 0, "model: attention window: expected 0 (none) or more, got ",
             kind.window);
    if (!kind.experts) continue;
    check_size("experts", config.experts, 4096);
    check_size("experts per token", config.experts_per_token,
               std::min<int64_t>(config.experts, 64));
    check_size("expert feed-forward length", config.expert_ffn_dim, int64_t{1} << 24);
  }
}

}  // namespace

std::vector<ConfigTensor> config_tensors(const DecoderConfig& c) {
  if (c.rope_factors.empty()) return {};
  if (c.rope_long_factors.empty()) return {{"rope_freqs.weight", c.rope_factors}};
  return {{"rope_factors_short.weight", c.rope_factors},
          {"rope_factors_long.weight", c.rope_long_factors}};
}

DecoderConfig for_context(DecoderConfig config, int64_t context) {
  if (static_cast<double>(context) > config.rope_scaling.original_context &&
      !config.rope_long_factors.empty())
    config.rope_factors = config.rope_long_factors;
  return config;
}

void check_config(const DecoderConfig& config) {
  constexpr int64_t kMost = int64_t{1} << 24;
  check_size("layers", config.layers, 10000);
  check_size("embedding length", config.dim, kMost);
  check_size("feed-forward length", config.ffn_dim, kMost);
  check_size("vocabulary", config.vocab, kMost);
  check_size("context length", config.context, int64_t{1} << 31);
  check_size("attention heads", config.heads, 65536);
  check_size("KV heads", config.kv_heads, config.heads);
  check_size("head dimension", config.head_dim, 512);
  if (config.positions == Positions::rotary)
    check_size("rotary dimension", config.rotary_dim, config.head_dim);
  CN_CHECK(config.heads % config.kv_heads == 0,
           "model: attention heads: expected a multiple of the ", config.kv_heads,
           " KV heads, got ", config.heads);
  CN_CHECK(config.rotary_dim % 2 == 0, "model: rotary dimension: expected an even number, got ",
           config.rotary_dim);
  CN_CHECK(config.norm_eps > 0 && config.norm_eps < 1,
           "model: norm epsilon: expected a value in (0, 1), got ", config.norm_eps);
  CN_CHECK(config.rope_theta > 0, "model: rope base: expected a positive number, got ",
           config.rope_theta);
  CN_CHECK(static_cast<int64_t>(config.kinds.size()) == config.layers,
           "model: layer kinds: expected one for each of ", config.layers, " layers, got ",
           config.kinds.size());
  check_experts(config);
  CN_CHECK(config.rope_factors.empty() ||
               static_cast<int64_t>(config.rope_factors.size()) == config.rotary_dim / 2,
           "model: rope factors: expected ", config.rotary_dim / 2, " values, got ",
           config.rope_factors.size());
}

}  // namespace colonnade
