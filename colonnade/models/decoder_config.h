// DecoderConfig: everything that tells one decoder-only transformer from another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "colonnade/ops/matmul.h"

namespace colonnade {

/// How rotary frequencies are stretched for long contexts.
struct RopeScaling {
  enum class Kind : uint8_t { none, linear, llama3, yarn } kind = Kind::none;
  double factor = 1;
  double original_context = 0;
  double low_frequency_factor = 1;   // llama3
  double high_frequency_factor = 4;  // llama3
  double beta_fast = 32;             // yarn
  double beta_slow = 1;              // yarn
  double attention_factor = 0;       // yarn; 0: 0.1 ln(factor) + 1
};

struct DecoderConfig {
  std::string architecture;  // "llama"
  std::string name;
  int64_t layers = 0;
  int64_t dim = 0;
  int64_t ffn_dim = 0;
  int64_t vocab = 0;
  int64_t context = 0;  // positions that the model was made for
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int64_t experts = 0;  // of a mixture, in the layers that have one; 0: none
  int rotary_dim = 0;
  double rope_theta = 10000;
  RopeScaling rope_scaling;
  std::vector<float> rope_factors;  // [rotary_dim / 2] divisors of the frequencies, or empty
  float norm_eps = 1e-5F;
  int64_t window = 0;  // sliding attention window, 0: none
  GluKind activation = GluKind::silu;
  bool qkv_bias = false;        // q, k and v have biases; false: those that the files hold
  bool qk_norm = false;         // heads of q and k are normalised; likewise
  bool interleaved_qk = false;  // q and k rows stand as interleaved rotation wants them
};

/// Throws Error that names the field for a configuration that cannot be: zero sizes, heads that KV
/// heads do not divide, an odd rotary dimension, sizes beyond 2^31.
void check_config(const DecoderConfig& config);

}  // namespace colonnade
