#include "colonnade/models/hf_decoder_config.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "colonnade/base/error.h"
#include "colonnade/base/math.h"
#include "colonnade/models/family.h"
#include "colonnade/models/rope.h"

namespace colonnade {
namespace {

using Names = std::initializer_list<const char*>;

constexpr int64_t kMostWidth = int64_t{1} << 24;

// What families call one and the same size.
constexpr Names kLayers = {"num_hidden_layers", "n_layer"};
constexpr Names kDim = {"hidden_size", "n_embd", "n_embed"};
constexpr Names kFfnDim = {"intermediate_size", "ffn_dim", "n_inner"};
constexpr Names kHeads = {"num_attention_heads", "n_head"};
constexpr Names kKvHeads = {"num_key_value_heads"};
constexpr Names kHeadDim = {"head_dim"};
constexpr Names kVocab = {"vocab_size"};
constexpr Names kContext = {"max_position_embeddings", "n_positions", "seq_length"};

/// The first of these fields that is there; the first of all if none is.
const char* present(const HfConfig& fields, Names names) {
  for (const char* name : names) {
    if (fields.has(name)) return name;
  }
  return *names.begin();
}

int64_t size_of(const HfConfig& fields, Names names, int64_t limit = int64_t{1} << 31) {
  const char* name = present(fields, names);
  const int64_t value = fields.integer(name);
  CN_CHECK(value >= 1 && value <= limit, fields.place(name), ": expected 1 to ", limit, ", got ",
           value);
  return value;
}
int64_t size_or(const HfConfig& fields, Names names, int64_t fallback,
                int64_t limit = int64_t{1} << 31) {
  return fields.has(present(fields, names)) ? size_of(fields, names, limit) : fallback;
}

Activation activation_of(const HfConfig& fields, Activation fallback) {
  const char* name = present(fields, {"hidden_activation", "hidden_act", "activation_function"});
  if (!fields.has(name)) return fallback;
  const std::string text = fields.text(name);
  if (text == "silu" || text == "swish") return Activation::silu;
  if (text == "gelu_new" || text == "gelu_pytorch_tanh" || text == "gelu_fast")
    return Activation::gelu_tanh;
  if (text == "gelu") return Activation::gelu_erf;
  if (text == "relu") return Activation::relu;
  fields.refuse(name,
                "silu, swish, gelu, gelu_new, gelu_fast, gelu_pytorch_tanh or relu (activations)");
}

double positive(const HfConfig& fields, const char* name) {
  const double value = fields.number(name);
  CN_CHECK(value > 0 && std::isfinite(value), fields.place(name),
           ": expected a positive number, got ", value);
  return value;
}
double positive_or(const HfConfig& fields, const char* name, double fallback) {
  return fields.has(name) ? positive(fields, name) : fallback;
}

/// 0, and none, where there is no cap.
float cap_of(const HfConfig& fields, const char* name) {
  return fields.number_or(name, 0) == 0 ? 0.0F : static_cast<float>(positive(fields, name));
}

/// Divisors of the frequencies, one per rotated pair.
std::vector<float> factors_of(const HfConfig& fields, const char* name, int rotary_dim) {
  std::vector<float> factors;
  for (const double factor : fields.numbers(name)) {
    CN_CHECK(factor > 0, fields.place(name), ": expected positive numbers, got ", factor);
    factors.push_back(static_cast<float>(factor));
  }
  CN_CHECK(static_cast<int>(factors.size()) == rotary_dim / 2, fields.place(name), ": expected ",
           rotary_dim / 2, " numbers, got ", factors.size());
  return factors;
}

/// Short factors up to the context that the model was first trained for, long ones beyond.
/// Source: Ding et al. 2024, "LongRoPE"; its attention factor as the Phi-3 models have it.
void read_longrope(const HfConfig& all, const HfConfig& rope, DecoderConfig& c) {
  c.rope_factors = factors_of(rope, "short_factor", c.rotary_dim);
  c.rope_long_factors = factors_of(rope, "long_factor", c.rotary_dim);
  RopeScaling& s = c.rope_scaling;
  s.kind = RopeScaling::Kind::longrope;
  const HfConfig& holder = rope.has("original_max_position_embeddings") ? rope : all;
  s.original_context = static_cast<double>(size_of(holder, {"original_max_position_embeddings"}));
  if (s.original_context < 2) holder.refuse("original_max_position_embeddings", "2 or more");
  s.factor = positive_or(rope, "factor", static_cast<double>(c.context) / s.original_context);
  const double own =
      s.factor > 1 ? std::sqrt(1 + math::log(s.factor) / math::log(s.original_context)) : 1.0;
  s.attention_factor = positive_or(rope, "attention_factor", own);
}

void read_yarn(const HfConfig& rope, DecoderConfig& c) {
  RopeScaling& s = c.rope_scaling;
  s.kind = RopeScaling::Kind::yarn;
  s.beta_fast = positive_or(rope, "beta_fast", s.beta_fast);
  s.beta_slow = positive_or(rope, "beta_slow", s.beta_slow);
  s.truncate = rope.flag_or("truncate", true);
  if (rope.has("attention_factor")) s.attention_factor = positive(rope, "attention_factor");
  for (const char* name : {"mscale", "mscale_all_dim"}) {
    if (rope.has(name) && rope.number(name) != 0)
      rope.refuse(name, "no such field: this scaling of attention is not supported");
  }
}

/// `rope`: rope_scaling of transformers 4, rope_parameters of 5.
void read_scaling(const HfConfig& all, const HfConfig& rope, DecoderConfig& c) {
  const char* name = present(rope, {"rope_type", "type"});
  const std::string type = rope.text_or(name, "default");
  RopeScaling& s = c.rope_scaling;
  if (type == "default" || type == "none") return;
  if (type == "longrope" || type == "su") return read_longrope(all, rope, c);
  if (type != "linear" && type != "llama3" && type != "yarn")
    rope.refuse(name, "default, linear, llama3, yarn or longrope (rotary scaling)");
  s.factor = positive(rope, "factor");
  s.original_context =
      static_cast<double>(size_or(rope, {"original_max_position_embeddings"},
                                  size_or(all, {"original_max_position_embeddings"}, c.context)));
  if (type == "linear") {
    s.kind = RopeScaling::Kind::linear;
  } else if (type == "llama3") {
    const Llama3Bands bands{.factor = s.factor,
                            .original_context = s.original_context,
                            .low_frequency_factor = positive(rope, "low_freq_factor"),
                            .high_frequency_factor = positive(rope, "high_freq_factor")};
    CN_CHECK(bands.high_frequency_factor > bands.low_frequency_factor,
             rope.place("high_freq_factor"), ": expected more than low_freq_factor, ",
             bands.low_frequency_factor, ", got ", bands.high_frequency_factor);
    c.rope_factors = llama3_factors(c, bands);
    s = {};
  } else {
    read_yarn(rope, c);
  }
}

/// Of layers with a window, which are never stretched. `rope`: rope_parameters, of every kind of
/// layer.
void read_local_rotation(const HfConfig& fields, const HfConfig& rope, DecoderConfig& c) {
  if (!rope.has("sliding_attention")) {
    c.local_rope_theta = positive_or(fields, "rope_local_base_freq", c.local_rope_theta);
    return;
  }
  const HfConfig local = rope.object("sliding_attention");
  if (local.text_or("rope_type", "default") != "default") local.refuse("rope_type", "default");
  c.local_rope_theta = positive_or(local, "rope_theta", c.local_rope_theta);
}

void read_rotation(const HfConfig& fields, DecoderConfig& c) {
  if (c.positions != Positions::rotary) return;
  const HfConfig given =
      fields.object_or_empty(present(fields, {"rope_parameters", "rope_scaling"}));
  const bool by_kind = given.has("full_attention") || given.has("sliding_attention");
  const HfConfig rope = by_kind ? given.object_or_empty("full_attention") : given;
  const HfConfig& theta = rope.has("rope_theta") ? rope : fields;
  c.rope_theta = positive_or(theta, "rope_theta", 10000);
  if (c.local_rope_theta > 0) read_local_rotation(fields, given, c);
  const HfConfig& partial = rope.has("partial_rotary_factor") ? rope : fields;
  const double part = positive_or(partial, "partial_rotary_factor", 1);
  CN_CHECK(part <= 1, partial.place("partial_rotary_factor"), ": expected at most 1, got ", part);
  c.rotary_dim = static_cast<int>(static_cast<double>(c.head_dim) * part);
  CN_CHECK(part < 1 || c.head_dim % 2 == 0, fields.place("head_dim"),
           ": expected an even number, got ", c.head_dim);
  if (c.rotary_dim < 2 || c.rotary_dim % 2 != 0)
    partial.refuse("partial_rotary_factor",
                   concat("an even number of the ", c.head_dim, " elements of a head"));
  read_scaling(fields, rope, c);
}

/// One kind for each layer.
void read_layer_types(const HfConfig& fields, int64_t window, DecoderConfig& c) {
  const std::vector<std::string> types = fields.texts("layer_types");
  CN_CHECK(static_cast<int64_t>(types.size()) == c.layers, fields.place("layer_types"),
           ": expected one for each of ", c.layers, " layers, got ", types.size());
  c.kinds.assign(types.size(), {});
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == "full_attention") continue;
    if (types[i] != "sliding_attention")
      fields.refuse("layer_types", "full_attention or sliding_attention");
    if (window == 0) fields.refuse("sliding_window", "the positions that sliding layers see");
    c.kinds[i] = {.window = window, .local_rope = c.local_rope_theta > 0};
  }
}

void read_layers(const HfConfig& fields, DecoderConfig& c) {
  const bool used = fields.flag_or("use_sliding_window", true);
  const int64_t window = used ? size_or(fields, {"sliding_window"}, 0) : 0;
  if (fields.has("layer_types")) return read_layer_types(fields, window, c);
  give_windows(c, window, size_or(fields, {"sliding_window_pattern"}, c.window_period));
  if (!fields.has("use_sliding_window")) return;
  const int64_t given = fields.integer_or("max_window_layers", 0);
  if (given < 0) fields.refuse("max_window_layers", "0 or more");
  const int64_t without = std::min(given, c.layers);
  for (int64_t i = 0; i < without; ++i) c.kinds[static_cast<size_t>(i)] = {};
}

void read_attention(const HfConfig& fields, DecoderConfig& c) {
  constexpr int64_t kMost = 65536;
  c.heads = static_cast<int>(size_of(fields, kHeads, kMost));
  c.kv_heads = static_cast<int>(size_or(fields, kKvHeads, c.heads, c.heads));
  if (c.heads % c.kv_heads != 0)
    fields.refuse("num_key_value_heads", concat("a divisor of the ", c.heads, " attention heads"));
  c.head_dim = static_cast<int>(size_or(fields, kHeadDim, c.dim / c.heads, 512));
  if (fields.has("query_pre_attn_scalar")) {
    const double scalar = positive(fields, "query_pre_attn_scalar");
    c.attention_scale = static_cast<float>(1 / std::sqrt(scalar));
  }
  c.attention_softcap = cap_of(fields, "attn_logit_softcapping");
  c.logit_softcap = cap_of(fields, "final_logit_softcapping");
  c.qkv_bias = fields.flag_or("attention_bias", false) || c.qkv_bias;
}

float epsilon_of(const HfConfig& fields, NormKind norm) {
  constexpr double kOfLayerNorm = 1e-5;
  const bool rms = norm == NormKind::rms;
  const char* name =
      rms ? "rms_norm_eps" : present(fields, {"layer_norm_epsilon", "layer_norm_eps"});
  const double epsilon = rms ? fields.number(name) : fields.number_or(name, kOfLayerNorm);
  if (!(epsilon > 0 && epsilon < 1)) fields.refuse(name, "a value between 0 and 1");
  return static_cast<float>(epsilon);
}

/// The first of these fields that is a number.
int64_t number_or(const HfConfig& fields, Names names, int64_t fallback) {
  for (const char* name : names) {
    if (fields.is_number(name)) return fields.integer(name);
  }
  return fallback;
}

}  // namespace

HfSizes read_sizes(const HfConfig& fields) {
  HfSizes s;
  s.layers = number_or(fields, kLayers, 0);
  s.dim = number_or(fields, kDim, 0);
  s.heads = number_or(fields, kHeads, 0);
  s.kv_heads = number_or(fields, kKvHeads, s.heads);
  s.head_dim = number_or(fields, kHeadDim, s.heads > 0 ? s.dim / s.heads : 0);
  s.ffn_dim = number_or(fields, kFfnDim, 4 * s.dim);
  s.vocab = number_or(fields, kVocab, 0);
  s.context = number_or(fields, kContext, 0);
  return s;
}

DecoderConfig read_config(const HfConfig& given) {
  DecoderConfig c;
  const Family& family = family_of_model_type(given.text("model_type"));
  const HfConfig fields = given.with_defaults(family.hf_defaults);
  c.architecture = family.architecture;
  c.layers = size_of(fields, kLayers, 10000);
  c.dim = size_of(fields, kDim, kMostWidth);
  c.vocab = size_of(fields, kVocab, kMostWidth);
  c.context = size_or(fields, kContext, 2048);
  family.configure(c);
  c.ffn_dim = c.gated_mlp ? size_of(fields, kFfnDim, kMostWidth)
                          : size_or(fields, kFfnDim, 4 * c.dim, kMostWidth);
  read_attention(fields, c);
  read_rotation(fields, c);
  c.norm_eps = epsilon_of(fields, c.norm);
  c.activation = activation_of(fields, c.activation);
  c.tied = fields.flag_or("tie_word_embeddings", family.tied);
  read_layers(fields, c);
  if (family.configure_hf != nullptr) family.configure_hf(fields, c);
  check_config(c);
  return c;
}

}  // namespace colonnade
