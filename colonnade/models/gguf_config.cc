#include "colonnade/models/gguf_config.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "colonnade/base/error.h"
#include "colonnade/base/math.h"
#include "colonnade/base/quote.h"
#include "colonnade/models/family.h"

namespace colonnade {
namespace {

/// Keys that begin with the architecture's name.
struct Keys {
  const GgufMetadata& metadata;
  std::string architecture;

  std::string key(const char* name) const { return architecture + "." + name; }
  bool has(const char* name) const { return metadata.has(key(name)); }
  int64_t integer(const char* name) const { return metadata.integer(key(name)); }
  int64_t integer_or(const char* name, int64_t fallback) const {
    return metadata.integer_or(key(name), fallback);
  }
  double number(const char* name) const { return metadata.number(key(name)); }
  double number_or(const char* name, double fallback) const {
    return metadata.number_or(key(name), fallback);
  }
  [[noreturn]] void refuse(const char* name, const std::string& problem) const {
    metadata.refuse(key(name), problem);
  }
};

constexpr int64_t kMostWidth = int64_t{1} << 24;
constexpr int64_t kMostPositions = int64_t{1} << 31;

/// The value of key `name`, or what takes its place.
int64_t bounded(const Keys& keys, const char* name, int64_t value, int64_t most) {
  if (value < 1 || value > most) keys.refuse(name, concat("expected 1 to ", most, ", got ", value));
  return value;
}
int64_t bounded(const Keys& keys, const char* name, int64_t most) {
  return bounded(keys, name, keys.integer(name), most);
}

int narrow(const Keys& keys, const char* name, int64_t value, int64_t most) {
  return static_cast<int>(bounded(keys, name, value, most));
}

double positive_or(const Keys& keys, const char* name, double fallback) {
  const double value = keys.number_or(name, fallback);
  if (!(value > 0) || !std::isfinite(value))
    keys.refuse(name, concat("expected a positive number, got ", value));
  return value;
}

/// 0: there is none.
float cap_of(const Keys& keys, const char* name) {
  return keys.has(name) && keys.number(name) != 0 ? static_cast<float>(positive_or(keys, name, 0))
                                                  : 0.0F;
}

RopeScaling read_scaling(const Keys& keys, int64_t context) {
  RopeScaling s;
  const std::string type = keys.metadata.text_or(keys.key("rope.scaling.type"), "none");
  s.factor = positive_or(keys, "rope.scaling.factor", positive_or(keys, "rope.scale_linear", 1));
  constexpr const char* kOriginal = "rope.scaling.original_context_length";
  s.original_context = static_cast<double>(
      bounded(keys, kOriginal, keys.integer_or(kOriginal, context), kMostPositions));
  if (type == "linear" || (type == "none" && s.factor != 1)) {
    s.kind = RopeScaling::Kind::linear;
  } else if (type == "yarn") {
    s.kind = RopeScaling::Kind::yarn;
    // The key multiplies the factor that YaRN derives from the stretch (ggml, rope_yarn).
    s.attention_factor = positive_or(keys, "rope.scaling.attn_factor", 1) *
                         (s.factor > 1 ? 0.1 * math::log(s.factor) + 1 : 1);
    s.beta_fast = positive_or(keys, "rope.scaling.yarn_beta_fast", s.beta_fast);
    s.beta_slow = positive_or(keys, "rope.scaling.yarn_beta_slow", s.beta_slow);
  } else if (type != "none") {
    keys.refuse("rope.scaling.type", concat("expected none, linear or yarn, got ", quote(type)));
  }
  return s;
}

/// Divisors of the frequencies, one per rotated pair; empty: none.
std::vector<float> factors_of(const TensorSource& tensors, const char* name,
                              const DecoderConfig& c) {
  const TensorEntry* entry = tensors.find(name);
  if (entry == nullptr) return {};
  CN_CHECK(entry->rows == 1 && entry->cols == c.rotary_dim / 2, tensors.place(), ": tensor ",
           quote(name), ": expected ", c.rotary_dim / 2, " values, one per rotated pair, got ",
           entry->rows, " x ", entry->cols);
  std::vector<float> factors = tensors.values(*entry);
  for (const float factor : factors)
    CN_CHECK(factor > 0 && std::isfinite(factor), tensors.place(), ": tensor ", quote(name),
             ": expected positive numbers, got ", factor);
  return factors;
}

constexpr const char* kShortFactors = "rope_factors_short.weight";

/// Source: names and keys as llama.cpp writes them for Phi-3 (convert_hf_to_gguf.py).
void read_longrope(const Keys& keys, const TensorSource& tensors, DecoderConfig& c) {
  c.rope_factors = factors_of(tensors, kShortFactors, c);
  c.rope_long_factors = factors_of(tensors, "rope_factors_long.weight", c);
  CN_CHECK(!c.rope_long_factors.empty(), tensors.place(),
           ": tensor 'rope_factors_long.weight' is missing");
  RopeScaling& s = c.rope_scaling;
  s.kind = RopeScaling::Kind::longrope;
  s.factor = static_cast<double>(c.context) / s.original_context;
  s.attention_factor = positive_or(keys, "rope.scaling.attn_factor", 1);
}

void read_attention(const Keys& keys, DecoderConfig& c) {
  constexpr int64_t kMostHeads = 65536;
  constexpr const char* kKvHeads = "attention.head_count_kv";
  c.heads = narrow(keys, "attention.head_count", keys.integer("attention.head_count"), kMostHeads);
  c.kv_heads = narrow(keys, kKvHeads, keys.integer_or(kKvHeads, c.heads), c.heads);
  if (c.heads % c.kv_heads != 0)
    keys.refuse(kKvHeads,
                concat("expected a divisor of the ", c.heads, " heads, got ", c.kv_heads));
  c.head_dim = narrow(keys, "attention.key_length",
                      keys.integer_or("attention.key_length", c.dim / c.heads), 512);
  const int64_t values = keys.integer_or("attention.value_length", c.head_dim);
  if (values != c.head_dim)
    keys.refuse("attention.value_length",
                concat("expected ", c.head_dim, " as for keys, got ", values));
}

/// The base of layers with a window, of families that have one of their own for them.
void read_local_theta(const Keys& keys, DecoderConfig& c) {
  constexpr const char* kLocal = "rope.freq_base_swa";
  const bool own = c.local_rope_theta > 0;
  const double theta = positive_or(keys, kLocal, own ? c.local_rope_theta : c.rope_theta);
  if (own) c.local_rope_theta = theta;
  if (!own && theta != c.rope_theta)
    keys.refuse(kLocal, concat("expected ", c.rope_theta, " as for all layers, got ", theta));
}

void read_rotation(const Keys& keys, const TensorSource& tensors, DecoderConfig& c) {
  if (c.positions != Positions::rotary) return;
  constexpr const char* kWidth = "rope.dimension_count";
  c.rotary_dim = narrow(keys, kWidth, keys.integer_or(kWidth, c.head_dim), c.head_dim);
  if (c.rotary_dim % 2 != 0)
    keys.refuse(kWidth, concat("expected an even number, got ", c.rotary_dim));
  c.rope_theta = positive_or(keys, "rope.freq_base", 10000);
  read_local_theta(keys, c);
  c.rope_scaling = read_scaling(keys, c.context);
  c.rope_factors = factors_of(tensors, "rope_freqs.weight", c);
  if (tensors.find(kShortFactors) != nullptr) read_longrope(keys, tensors, c);
}

void read_norm(const Keys& keys, DecoderConfig& c) {
  const char* name =
      c.norm == NormKind::rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon";
  const double epsilon = keys.number(name);
  if (!(epsilon > 0 && epsilon < 1))
    keys.refuse(name, concat("expected a value between 0 and 1, got ", epsilon));
  c.norm_eps = static_cast<float>(epsilon);
}

/// Every so many layers one sees all positions; 0: none does.
int64_t period_of(const Keys& keys, const char* name, const DecoderConfig& c) {
  const int64_t period = keys.integer_or(name, c.window_period);
  if (period < 0) keys.refuse(name, concat("expected 0 or more, got ", period));
  return period;
}

void read_window(const Keys& keys, DecoderConfig& c) {
  constexpr const char* kWindow = "attention.sliding_window";
  const int64_t window = keys.integer_or(kWindow, 0);
  if (window < 0 || window > kMostPositions)
    keys.refuse(kWindow, concat("expected 0 (none) to ", kMostPositions, ", got ", window));
  constexpr const char* kPattern = "attention.sliding_window_pattern";
  if (window == 0 || !keys.metadata.is_array(keys.key(kPattern)))
    return give_windows(c, window, period_of(keys, kPattern, c));
  const std::vector<bool> sliding = keys.metadata.flags(keys.key(kPattern));
  if (static_cast<int64_t>(sliding.size()) != c.layers)
    keys.refuse(kPattern, concat("expected one bool for each of ", c.layers, " layers, got ",
                                 sliding.size()));
  give_windows(c, window, 0);
  for (size_t i = 0; i < sliding.size(); ++i) {
    if (!sliding[i]) c.kinds[i] = {};
  }
}

void read_experts(const Keys& keys, DecoderConfig& c) {
  if (keys.integer_or("expert_count", 0) == 0) return;
  constexpr const char* kUsed = "expert_used_count";
  constexpr const char* kWidth = "expert_feed_forward_length";
  c.experts = bounded(keys, "expert_count", 4096);
  c.experts_per_token = narrow(keys, kUsed, keys.integer(kUsed), std::min<int64_t>(c.experts, 64));
  c.expert_ffn_dim = bounded(keys, kWidth, keys.integer_or(kWidth, c.ffn_dim), kMostWidth);
  for (LayerKind& kind : c.kinds) kind.experts = true;
}

}  // namespace

DecoderConfig read_config(const GgufMetadata& metadata, const TensorSource& tensors) {
  DecoderConfig c;
  c.architecture = metadata.text("general.architecture");
  const Family& family = family_of_architecture(c.architecture);
  const Keys keys{metadata, c.architecture};
  c.name = metadata.text_or("general.name", "");
  c.layers = bounded(keys, "block_count", 10000);
  c.dim = bounded(keys, "embedding_length", kMostWidth);
  c.ffn_dim = bounded(keys, "feed_forward_length", kMostWidth);
  if (keys.has("word_embedding_length"))
    c.embedding_dim = bounded(keys, "word_embedding_length", kMostWidth);
  c.context = bounded(keys, "context_length", kMostPositions);
  read_attention(keys, c);
  if (!metadata.flag_or(keys.key("attention.causal"), true))
    keys.refuse("attention.causal", "expected true, got false");
  family.configure(c);
  read_rotation(keys, tensors, c);
  read_norm(keys, c);
  c.attention_softcap = cap_of(keys, "attn_logit_softcapping");
  c.logit_softcap = cap_of(keys, "final_logit_softcapping");
  read_window(keys, c);
  read_experts(keys, c);
  const TensorEntry* embedding = tensors.find("token_embd.weight");
  CN_CHECK(embedding != nullptr, tensors.place(), ": tensor 'token_embd.weight' is missing");
  c.vocab = embedding->rows;
  if (family.configure_gguf != nullptr) family.configure_gguf(metadata, c);
  check_config(c);
  return c;
}

}  // namespace colonnade
