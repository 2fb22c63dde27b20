#include "colonnade/api/hf_metadata.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/models/gguf_config.h"
#include "colonnade/text/known_steps.h"

namespace colonnade {
namespace {

constexpr std::string_view kWritten[] = {"llama", "qwen2", "qwen3"};

/// Pre-tokenizers by the names that other engines know best, before their synonyms.
constexpr std::string_view kPreTokenizers[] = {"llama-bpe", "qwen2",  "smollm", "gpt-2",
                                               "gpt-4o",    "tekken", "bloom"};

/// Keys in the order of a file.
class Keys {
 public:
  void integer(std::string key, int64_t value) {
    add(std::move(key), {GgufValueType::u32, static_cast<uint64_t>(value)});
  }
  void number(std::string key, double value) { add(std::move(key), {GgufValueType::f32, value}); }
  void flag(std::string key, bool value) { add(std::move(key), {GgufValueType::boolean, value}); }
  void text(std::string key, std::string value) {
    add(std::move(key), {GgufValueType::string, std::move(value)});
  }
  void texts(std::string key, const std::vector<std::string>& values) {
    std::string bytes;
    std::vector<uint64_t> ends;
    for (const std::string& value : values) {
      bytes += value;
      ends.push_back(bytes.size());
    }
    GgufArray array;
    array.element_type = GgufValueType::string;
    array.size = static_cast<int64_t>(values.size());
    array.strings = StringArray(std::move(bytes), std::move(ends));
    add(std::move(key),
        {GgufValueType::array, std::make_shared<const GgufArray>(std::move(array))});
  }
  void integers(std::string key, const std::vector<int32_t>& values) {
    GgufArray array;
    array.element_type = GgufValueType::i32;
    array.size = static_cast<int64_t>(values.size());
    array.numbers.resize(values.size() * sizeof(int32_t));
    std::memcpy(array.numbers.data(), values.data(), array.numbers.size());
    add(std::move(key),
        {GgufValueType::array, std::make_shared<const GgufArray>(std::move(array))});
  }

  std::vector<GgufEntry> entries;

 private:
  void add(std::string key, GgufValue value) {
    entries.push_back({std::move(key), std::move(value)});
  }
};

// Source of all keys: the GGUF specification (ggml, docs/gguf.md), "LLM" and "Tokenizer".
void add_config(const DecoderConfig& c, Keys& keys) {
  const auto key = [&](const char* name) { return c.architecture + "." + name; };
  keys.integer(key("block_count"), c.layers);
  keys.integer(key("context_length"), c.context);
  keys.integer(key("embedding_length"), c.dim);
  keys.integer(key("feed_forward_length"), c.ffn_dim);
  keys.integer(key("vocab_size"), c.vocab);
  keys.integer(key("attention.head_count"), c.heads);
  keys.integer(key("attention.head_count_kv"), c.kv_heads);
  keys.integer(key("attention.key_length"), c.head_dim);
  keys.integer(key("attention.value_length"), c.head_dim);
  keys.number(key("attention.layer_norm_rms_epsilon"), c.norm_eps);
  keys.integer(key("rope.dimension_count"), c.rotary_dim);
  keys.number(key("rope.freq_base"), c.rope_theta);
  if (c.rope_scaling.kind != RopeScaling::Kind::linear) return;
  keys.text(key("rope.scaling.type"), "linear");
  keys.number(key("rope.scaling.factor"), c.rope_scaling.factor);
}

/// The name of a pre-tokenizer that does the same to text.
std::string pre_of(const ModelFiles& model, const text::Vocabulary& v) {
  if (!v.rules) return v.pre;
  for (const std::string_view name : kPreTokenizers) {
    const text::KnownSteps known = text::known_steps(name);
    if (known.steps == v.rules->steps && known.whole_words == v.rules->whole_words)
      return std::string(name);
  }
  throw Error(
      concat(model.path(),
             "/tokenizer.json: expected a pre-tokenizer that GGUF has a name for, got one of "
             "its own: such a model is not written as GGUF"));
}

std::vector<std::string> merges_of(const text::Vocabulary& v) {
  if (!v.rules) return v.merges;
  std::vector<std::string> merges;
  for (const text::TokenMerge& merge : v.rules->merges)
    merges.push_back(concat(v.tokens[static_cast<size_t>(merge.left)], " ",
                            v.tokens[static_cast<size_t>(merge.right)]));
  return merges;
}

bool begins_with_bos(const text::Vocabulary& v) {
  if (!v.rules) return v.add_bos.value_or(false);
  return !v.rules->prefix.empty();
}

void check_vocabulary_of(const ModelFiles& model, const text::Vocabulary& v) {
  CN_CHECK(
      v.model == "gpt2", model.path(),
      ": expected a byte-level tokenizer, got one as SentencePiece's: it is not written as GGUF");
  if (!v.rules) return;
  const std::vector<int32_t>& prefix = v.rules->prefix;
  CN_CHECK(prefix.empty() || (prefix.size() == 1 && prefix[0] == v.bos), model.path(),
           "/tokenizer.json: post_processor: expected the begin-of-text token before a text, or "
           "nothing: GGUF has no key for more");
  CN_CHECK(v.rules->suffix.empty(), model.path(),
           "/tokenizer.json: post_processor: expected nothing behind a text");
}

/// Rows of the embedding that are no token have names: readers want each but once.
std::vector<std::string> tokens_of(const text::Vocabulary& v) {
  std::vector<std::string> tokens = v.tokens;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].empty()) tokens[i] = concat("[PAD", i, "]");
  }
  return tokens;
}

/// The one of further tokens that end an answer that GGUF has a key for.
int32_t end_of_turn(const text::Vocabulary& v) {
  if (v.eot >= 0) return v.eot;
  const auto further = std::ranges::find_if(v.end_tokens, [&](int32_t id) { return id != v.eos; });
  return further == v.end_tokens.end() ? -1 : *further;
}

void add_vocabulary(const ModelFiles& model, Keys& keys) {
  const text::Vocabulary v = model.vocabulary();
  check_vocabulary_of(model, v);
  std::vector<int32_t> types = v.token_types;
  if (types.empty()) types.assign(v.tokens.size(), static_cast<int32_t>(text::TokenType::normal));
  keys.text("tokenizer.ggml.model", v.model);
  keys.text("tokenizer.ggml.pre", pre_of(model, v));
  keys.texts("tokenizer.ggml.tokens", tokens_of(v));
  keys.integers("tokenizer.ggml.token_type", types);
  keys.texts("tokenizer.ggml.merges", merges_of(v));
  const auto id = [&](const char* name, int32_t token) {
    if (token >= 0) keys.integer(concat("tokenizer.ggml.", name, "_token_id"), token);
  };
  id("bos", v.bos);
  id("eos", v.eos);
  id("eot", end_of_turn(v));
  id("padding", v.pad);
  id("unknown", v.unk);
  keys.flag("tokenizer.ggml.add_bos_token", begins_with_bos(v));
  const std::string chat_template = model.chat_template();
  if (!chat_template.empty()) keys.text("tokenizer.chat_template", chat_template);
}

/// The first field that the keys say otherwise than config.json; null if none.
const char* difference(const DecoderConfig& a, const DecoderConfig& b) {
  const RopeScaling &s = a.rope_scaling, &t = b.rope_scaling;
  const bool stretched = s.kind != RopeScaling::Kind::none;
  if (s.kind != t.kind || (stretched && s.factor != t.factor)) return "rope_scaling";
  if (a.layers != b.layers || a.dim != b.dim || a.ffn_dim != b.ffn_dim || a.vocab != b.vocab ||
      a.context != b.context)
    return "a size";
  if (a.heads != b.heads || a.kv_heads != b.kv_heads || a.head_dim != b.head_dim) return "heads";
  if (a.attention_scale != b.attention_scale) return "query_pre_attn_scalar";
  if (a.attention_softcap != b.attention_softcap || a.logit_softcap != b.logit_softcap)
    return "a soft cap";
  if (a.kinds != b.kinds) return "sliding windows or layer types";
  if (a.positions != b.positions || a.rotary_dim != b.rotary_dim || a.rope_theta != b.rope_theta ||
      a.rope_factors != b.rope_factors || a.local_rope_theta != b.local_rope_theta)
    return "rotation";
  if (a.norm != b.norm || a.norm_eps != b.norm_eps) return "norms";
  if (a.activation != b.activation || a.gated_mlp != b.gated_mlp) return "hidden_act";
  if (a.experts != b.experts || a.embedding_dim != b.embedding_dim ||
      a.embedding_scale != b.embedding_scale)
    return "experts or embedding";
  return nullptr;
}

}  // namespace

std::vector<GgufEntry> gguf_metadata_of(const ModelFiles& model, const std::string& name) {
  const DecoderConfig& config = model.config();
  CN_CHECK(std::ranges::find(kWritten, config.architecture) != std::end(kWritten), model.path(),
           ": expected a model of a family that is written as GGUF (llama, qwen2, qwen3), got ",
           quote(config.architecture));
  Keys keys;
  keys.text("general.architecture", config.architecture);
  keys.text("general.name", name);
  add_config(config, keys);
  add_vocabulary(model, keys);
  const GgufMetadata written(model.path(), keys.entries);
  const char* different = difference(config, read_config(written, model.source()));
  CN_CHECK(different == nullptr, model.path(), "/config.json: ", different,
           ": is not as a GGUF file of architecture ", quote(config.architecture),
           " can say it: such a model is not written as GGUF");
  return keys.entries;
}

}  // namespace colonnade
