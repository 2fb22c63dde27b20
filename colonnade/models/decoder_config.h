// DecoderConfig: everything that tells one decoder-only transformer from another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "colonnade/ops/route.h"
#include "colonnade/tensor/commands.h"

namespace colonnade {

/// How rotary frequencies are stretched for long contexts.
struct RopeScaling {
  enum class Kind : uint8_t { none, linear, yarn, longrope } kind = Kind::none;
  double factor = 1;
  double original_context = 0;
  double beta_fast = 32;        // yarn
  double beta_slow = 1;         // yarn
  double attention_factor = 0;  // yarn: 0: 0.1 ln(factor) + 1; longrope
  bool truncate = true;         // yarn: the ramp begins and ends at whole dimensions
};

enum class Positions : uint8_t { rotary, learned, alibi };

/// What a layer is. A decoder is a list of them, so that one with layers of several kinds is only a
/// longer list.
struct LayerKind {
  int64_t window = 0;       // positions that its attention sees, 0: all
  bool local_rope = false;  // its rotation is DecoderConfig::local_rope_theta's
  bool experts = false;     // its MLP is a mixture of experts

  bool operator==(const LayerKind&) const = default;
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
  float attention_scale = 0;    // of scores; 0: 1 / sqrt(head_dim)
  float attention_softcap = 0;  // 0: none
  bool qkv_bias = false;        // q, k and v have biases; false: those that the files hold
  bool qk_norm = false;         // heads of q and k are normalised; likewise
  bool interleaved_qk = false;  // q and k rows stand as interleaved rotation wants them
  bool sinks = false;           // every query head has an attention sink

  Positions positions = Positions::rotary;
  int position_offset = 0;  // learned: the table's row for position 0
  int rotary_dim = 0;
  double rope_theta = 10000;
  RopeScaling rope_scaling;
  std::vector<float>
      rope_factors;  // [rotary_dim / 2] divisors of the frequencies (Llama 3), or empty
  std::vector<float> rope_long_factors;  // longrope: in place of rope_factors in longer contexts
  double local_rope_theta = 0;           // of layers with local_rope, which are never stretched

  NormKind norm = NormKind::rms;
  float norm_eps = 1e-5F;
  bool norms_before = true;       // attention and MLP read the norm of their input
  bool norms_of_outputs = false;  // what they add to the residual is normalised
  bool norms_after = false;       // their sum with the residual is
  bool final_norm = true;

  Activation activation = Activation::silu;
  bool gated_mlp = true;
  int64_t experts = 0;  // of a mixture; 0: no layer has one
  int experts_per_token = 0;
  int64_t expert_ffn_dim = 0;
  RouterKind router = RouterKind::softmax_then_choose;

  float embedding_scale = 1;
  bool embedding_norm = false;
  int64_t embedding_dim = 0;     // width of the embedding and the head, 0: dim. Else projected
  std::optional<bool> tied;      // none: if the files lack a head
  float logit_softcap = 0;       // 0: none
  int64_t window_period = 0;     // every so many layers one sees all positions; 0: none does
  std::vector<LayerKind> kinds;  // [layers]

  /// Rows of q and k can be loaded as half rotation wants them when it takes the whole head. Where
  /// a part of the head is not rotated, the pairs stay side by side.
  bool pairs_side_by_side() const { return interleaved_qk && rotary_dim != head_dim; }
  int64_t embedding_width() const { return embedding_dim > 0 ? embedding_dim : dim; }
};

/// A vector that a file holds and no layer asks for: it belongs to the configuration.
struct ConfigTensor {
  std::string name;
  std::vector<float> values;
};

/// Divisors of rotary frequencies.
std::vector<ConfigTensor> config_tensors(const DecoderConfig& config);

/// The configuration for a session of `context` positions: where frequencies are stretched
/// otherwise beyond the context that the model was first trained for (longrope), those for that
/// length.
DecoderConfig for_context(DecoderConfig config, int64_t context);

/// Throws Error that names the field for a configuration that cannot be: zero sizes, heads that KV
/// heads do not divide, an odd rotary dimension, sizes beyond 2^31.
void check_config(const DecoderConfig& config);

}  // namespace colonnade
