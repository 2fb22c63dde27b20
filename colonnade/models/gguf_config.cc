#include "colonnade/models/gguf_config.h"

#include <string>

#include "colonnade/base/error.h"
#include "colonnade/base/math.h"
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
};

RopeScaling read_scaling(const Keys& keys, int64_t context) {
  RopeScaling s;
  const std::string type = keys.metadata.text_or(keys.key("rope.scaling.type"), "none");
  s.factor = keys.number_or("rope.scaling.factor", keys.number_or("rope.scale_linear", 1));
  s.original_context =
      static_cast<double>(keys.integer_or("rope.scaling.original_context_length", context));
  if (type == "linear" || (type == "none" && s.factor != 1)) {
    s.kind = RopeScaling::Kind::linear;
  } else if (type == "yarn") {
    s.kind = RopeScaling::Kind::yarn;
    // The key multiplies the factor that YaRN derives from the stretch (ggml, rope_yarn).
    s.attention_factor = keys.number_or("rope.scaling.attn_factor", 1) *
                         (s.factor > 1 ? 0.1 * math::log(s.factor) + 1 : 1);
    s.beta_fast = keys.number_or("rope.scaling.yarn_beta_fast", s.beta_fast);
    s.beta_slow = keys.number_or("rope.scaling.yarn_beta_slow", s.beta_slow);
  } else {
    CN_CHECK(type == "none", "model: ", keys.key("rope.scaling.type"),
             ": expected none, linear or yarn, got '", type, "'");
  }
  CN_CHECK(s.factor > 0 && s.original_context >= 1, "model: ", keys.key("rope.scaling"),
           ": expected a positive factor and original context, got ", s.factor, " and ",
           s.original_context);
  return s;
}

int narrow(const Keys& keys, const char* name, int64_t value) {
  CN_CHECK(value >= 1 && value <= 1 << 20, "model: ", keys.key(name),
           ": expected 1 to 1048576, got ", value);
  return static_cast<int>(value);
}

void read_attention(const Keys& keys, DecoderConfig& c) {
  c.heads = narrow(keys, "attention.head_count", keys.integer("attention.head_count"));
  c.kv_heads =
      narrow(keys, "attention.head_count_kv", keys.integer_or("attention.head_count_kv", c.heads));
  c.head_dim = narrow(keys, "attention.key_length",
                      keys.integer_or("attention.key_length", c.dim / c.heads));
  CN_CHECK(keys.integer_or("attention.value_length", c.head_dim) == c.head_dim,
           "model: ", keys.key("attention.value_length"), ": expected ", c.head_dim,
           " as for keys, got ", keys.integer("attention.value_length"));
}

void read_rotation(const Keys& keys, const TensorSource& tensors, DecoderConfig& c) {
  if (c.positions != Positions::rotary) return;
  c.rotary_dim =
      narrow(keys, "rope.dimension_count", keys.integer_or("rope.dimension_count", c.head_dim));
  c.rope_theta = keys.number_or("rope.freq_base", 10000);
  c.rope_scaling = read_scaling(keys, c.context);
  if (const TensorEntry* factors = tensors.find("rope_freqs.weight"))
    c.rope_factors = tensors.values(*factors);
}

void read_experts(const Keys& keys, DecoderConfig& c) {
  if (keys.integer_or("expert_count", 0) == 0) return;
  c.experts = keys.integer("expert_count");
  c.experts_per_token = narrow(keys, "expert_used_count", keys.integer("expert_used_count"));
  c.expert_ffn_dim = keys.integer_or("expert_feed_forward_length", c.ffn_dim);
  for (LayerKind& kind : c.kinds) kind.experts = true;
}

}  // namespace

DecoderConfig read_config(const GgufMetadata& metadata, const TensorSource& tensors) {
  DecoderConfig c;
  c.architecture = metadata.text("general.architecture");
  const Family& family = family_of_architecture(c.architecture);
  const Keys keys{metadata, c.architecture};
  c.name = metadata.text_or("general.name", "");
  c.layers = keys.integer("block_count");
  CN_CHECK(c.layers >= 1 && c.layers <= 10000, "model: ", keys.key("block_count"),
           ": expected 1 to 10000, got ", c.layers);
  c.dim = keys.integer("embedding_length");
  c.ffn_dim = keys.integer("feed_forward_length");
  c.embedding_dim = keys.integer_or("word_embedding_length", 0);
  c.context = keys.integer("context_length");
  read_attention(keys, c);
  family.configure(c);
  read_rotation(keys, tensors, c);
  c.norm_eps =
      static_cast<float>(keys.number(c.norm == NormKind::rms ? "attention.layer_norm_rms_epsilon"
                                                             : "attention.layer_norm_epsilon"));
  c.attention_softcap = static_cast<float>(keys.number_or("attn_logit_softcapping", 0));
  c.logit_softcap = static_cast<float>(keys.number_or("final_logit_softcapping", 0));
  give_windows(c, keys.integer_or("attention.sliding_window", 0), c.window_period);
  read_experts(keys, c);
  const TensorEntry* embedding = tensors.find("token_embd.weight");
  CN_CHECK(embedding != nullptr, "model: tensor 'token_embd.weight' is missing from the file");
  c.vocab = embedding->rows;
  if (family.configure_gguf != nullptr) family.configure_gguf(metadata, c);
  check_config(c);
  return c;
}

}  // namespace colonnade
