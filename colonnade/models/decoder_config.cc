#include "colonnade/models/decoder_config.h"

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

void check_size(const char* field, int64_t value, int64_t limit) {
  CN_CHECK(value >= 1 && value <= limit, "model: ", field, ": expected 1 to ", limit, ", got ",
           value);
}

}  // namespace

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
  check_size("rotary dimension", config.rotary_dim, config.head_dim);
  CN_CHECK(config.heads % config.kv_heads == 0,
           "model: attention heads: expected a multiple of the ", config.kv_heads,
           " KV heads, got ", config.heads);
  CN_CHECK(config.head_dim % 16 == 0, "model: head dimension: expected a multiple of 16, got ",
           config.head_dim);
  CN_CHECK(config.rotary_dim % 2 == 0, "model: rotary dimension: expected an even number, got ",
           config.rotary_dim);
  CN_CHECK(config.norm_eps > 0 && config.norm_eps < 1,
           "model: norm epsilon: expected a value in (0, 1), got ", config.norm_eps);
  CN_CHECK(config.rope_theta > 0, "model: rope base: expected a positive number, got ",
           config.rope_theta);
  CN_CHECK(config.rope_factors.empty() ||
               static_cast<int64_t>(config.rope_factors.size()) == config.rotary_dim / 2,
           "model: rope factors: expected ", config.rotary_dim / 2, " values, got ",
           config.rope_factors.size());
}

}  // namespace colonnade
