#include "colonnade/models/gguf_config_keys.h"

#include <algorithm>
#include <cmath>

#include "colonnade/base/math.h"
#include "colonnade/models/family.h"

namespace colonnade {
namespace {

/// Keys that begin with the architecture's name.
class Keys {
 public:
  Keys(const std::string& architecture, GgufKeys& keys) : start_(architecture + "."), keys_(keys) {}

  void integer(const char* name, int64_t value) { keys_.integer(start_ + name, value); }
  void number(const char* name, double value) { keys_.number(start_ + name, value); }
  void text(const char* name, const char* value) { keys_.text(start_ + name, value); }
  /// Nothing for 0.
  void integer_if(const char* name, int64_t value) {
    if (value != 0) integer(name, value);
  }
  void number_if(const char* name, double value) {
    if (value != 0) number(name, value);
  }

 private:
  std::string start_;
  GgufKeys& keys_;
};

void add_sizes(const DecoderConfig& c, Keys& keys) {
  keys.integer("block_count", c.layers);
  keys.integer("context_length", c.context);
  keys.integer("embedding_length", c.dim);
  keys.integer("feed_forward_length", c.ffn_dim);
  keys.integer("vocab_size", c.vocab);
  if (c.embedding_width() != c.dim) keys.integer("word_embedding_length", c.embedding_dim);
  keys.integer_if("expert_count", c.experts);
  keys.integer_if("expert_used_count", c.experts_per_token);
  keys.integer_if("expert_feed_forward_length", c.expert_ffn_dim);
}

void add_attention(const DecoderConfig& c, Keys& keys) {
  keys.integer("attention.head_count", c.heads);
  keys.integer("attention.head_count_kv", c.kv_heads);
  keys.integer("attention.key_length", c.head_dim);
  keys.integer("attention.value_length", c.head_dim);
  keys.number(
      c.norm == NormKind::rms ? "attention.layer_norm_rms_epsilon" : "attention.layer_norm_epsilon",
      c.norm_eps);
  keys.number_if("attn_logit_softcapping", c.attention_softcap);
  keys.number_if("final_logit_softcapping", c.logit_softcap);
  int64_t window = 0;
  for (const LayerKind& kind : c.kinds) window = std::max(window, kind.window);
  keys.integer_if("attention.sliding_window", window);
}

/// What multiplies the attention factor that YaRN derives from the stretch.
double yarn_factor(const RopeScaling& s) {
  const double own = s.factor > 1 ? 0.1 * math::log(s.factor) + 1 : 1;
  return s.attention_factor > 0 ? s.attention_factor / own : 1;
}

void add_rotation(const DecoderConfig& c, Keys& keys) {
  if (c.positions != Positions::rotary) return;
  keys.integer("rope.dimension_count", c.rotary_dim);
  keys.number("rope.freq_base", c.rope_theta);
  const RopeScaling& s = c.rope_scaling;
  switch (s.kind) {
    case RopeScaling::Kind::none:
      break;
    case RopeScaling::Kind::linear:
      keys.text("rope.scaling.type", "linear");
      keys.number("rope.scaling.factor", s.factor);
      break;
    case RopeScaling::Kind::yarn:
      keys.text("rope.scaling.type", "yarn");
      keys.number("rope.scaling.factor", s.factor);
      keys.integer("rope.scaling.original_context_length",
                   static_cast<int64_t>(s.original_context));
      keys.number("rope.scaling.attn_factor", yarn_factor(s));
      keys.number("rope.scaling.yarn_beta_fast", s.beta_fast);
      keys.number("rope.scaling.yarn_beta_slow", s.beta_slow);
      break;
    case RopeScaling::Kind::longrope:
      keys.integer("rope.scaling.original_context_length",
                   static_cast<int64_t>(s.original_context));
      keys.number("rope.scaling.attn_factor", s.attention_factor);
      break;
  }
}

/// As f32: what a file holds, and what tables are made of.
bool same(double a, double b) { return static_cast<float>(a) == static_cast<float>(b); }

bool same_scaling(const RopeScaling& a, const RopeScaling& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case RopeScaling::Kind::none:
      return true;
    case RopeScaling::Kind::linear:
      return same(a.factor, b.factor);
    case RopeScaling::Kind::longrope:
      return a.original_context == b.original_context &&
             same(a.attention_factor, b.attention_factor);
    case RopeScaling::Kind::yarn:
      return same(a.factor, b.factor) && a.original_context == b.original_context &&
             same(a.beta_fast, b.beta_fast) && same(a.beta_slow, b.beta_slow) &&
             same(yarn_factor(a), yarn_factor(b)) && a.truncate == b.truncate;
  }
  return false;
}

bool same_sizes(const DecoderConfig& a, const DecoderConfig& b) {
  return a.layers == b.layers && a.dim == b.dim && a.ffn_dim == b.ffn_dim && a.vocab == b.vocab &&
         a.context == b.context && a.embedding_width() == b.embedding_width();
}

bool same_rotation(const DecoderConfig& a, const DecoderConfig& b) {
  return a.positions == b.positions && a.position_offset == b.position_offset &&
         a.rotary_dim == b.rotary_dim && same(a.rope_theta, b.rope_theta) &&
         a.rope_factors == b.rope_factors && a.rope_long_factors == b.rope_long_factors &&
         a.local_rope_theta == b.local_rope_theta;
}

bool same_norms(const DecoderConfig& a, const DecoderConfig& b) {
  return a.norm == b.norm && a.norm_eps == b.norm_eps && a.norms_before == b.norms_before &&
         a.norms_of_outputs == b.norms_of_outputs && a.norms_after == b.norms_after &&
         a.final_norm == b.final_norm;
}

bool same_experts(const DecoderConfig& a, const DecoderConfig& b) {
  return a.experts == b.experts && a.experts_per_token == b.experts_per_token &&
         a.expert_ffn_dim == b.expert_ffn_dim && (a.experts == 0 || a.router == b.router);
}

float scale_of(const DecoderConfig& c) {
  return c.attention_scale != 0 ? c.attention_scale
                                : 1.0F / std::sqrt(static_cast<float>(c.head_dim));
}

}  // namespace

void add_config_keys(const DecoderConfig& config, GgufKeys& all) {
  Keys keys(config.architecture, all);
  add_sizes(config, keys);
  add_attention(config, keys);
  add_rotation(config, keys);
  const Family& family = family_of_architecture(config.architecture);
  if (family.add_gguf_keys != nullptr) family.add_gguf_keys(config, all);
}

const char* config_difference(const DecoderConfig& a, const DecoderConfig& b) {
  if (!same_scaling(a.rope_scaling, b.rope_scaling)) return "rope_scaling";
  if (!same_sizes(a, b)) return "a size";
  if (a.heads != b.heads || a.kv_heads != b.kv_heads || a.head_dim != b.head_dim) return "heads";
  if (!same(scale_of(a), scale_of(b))) return "query_pre_attn_scalar";
  if (a.attention_softcap != b.attention_softcap || a.logit_softcap != b.logit_softcap)
    return "a soft cap";
  if (a.kinds != b.kinds) return "sliding windows or layer types";
  if (!same_rotation(a, b)) return "rotation";
  if (!same_norms(a, b)) return "norms";
  if (a.activation != b.activation || a.gated_mlp != b.gated_mlp) return "hidden_act";
  if (!same_experts(a, b)) return "experts";
  if (a.embedding_scale != b.embedding_scale || a.embedding_norm != b.embedding_norm)
    return "the embedding";
  return nullptr;
}

}  // namespace colonnade
