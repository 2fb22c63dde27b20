#include "colonnade/api/hf_metadata.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "colonnade/api/gguf_vocabulary.h"
#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/gguf_keys.h"
#include "colonnade/models/gguf_config.h"
#include "colonnade/models/gguf_config_keys.h"
#include "colonnade/text/known_steps.h"
#include "colonnade/text/regex_parser.h"
#include "colonnade/text/tokenizer.h"

namespace colonnade {
namespace {

/// Pre-tokenizers by the names that other engines know best, before their synonyms.
constexpr std::string_view kPreTokenizers[] = {"llama-bpe", "qwen2",  "smollm", "gpt-2",
                                               "gpt-4o",    "tekken", "bloom"};

std::string tokenizer_place(const ModelFiles& model) { return model.path() + "/tokenizer.json"; }

/// The name of a pre-tokenizer that does the same to text.
std::string pre_of(const ModelFiles& model, const text::Vocabulary& v) {
  if (!v.rules) return v.pre;
  for (const std::string_view name : kPreTokenizers) {
    const text::KnownSteps known = text::known_steps(name);
    if (known.steps == v.rules->steps && known.whole_words == v.rules->whole_words)
      return std::string(name);
  }
  throw Error(
      concat(tokenizer_place(model),
             ": expected a pre-tokenizer that GGUF has a name for, got one of its own: such a "
             "model is not written as GGUF"));
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

/// What GGUF has no key for: expects one token in front of a text or none, and behind it.
void check_around(const std::string& place, const std::vector<int32_t>& ids, int32_t wanted) {
  CN_CHECK(
      ids.empty() || (ids.size() == 1 && ids[0] == wanted), place,
      ": post_processor: expected the begin-of-text token before a text, the end-of-text token "
      "behind it, or nothing: GGUF has no key for more");
}

void check_rules(const std::string& place, const text::Vocabulary& v, bool strips) {
  check_around(place, v.rules->prefix, v.bos);
  check_around(place, v.rules->suffix, v.eos);
  for (const text::WrittenToken& token : v.rules->written) {
    const bool plain = !token.strip_left && (!token.strip_right || strips) && !token.single_word;
    CN_CHECK(plain, place, ": added token ", quote(token.text),
             ": takes the spaces beside it, or is found as a whole word only: GGUF has no key for "
             "that");
  }
}

/// The steps of a tokenizer.json as one list, without a cut at spaces where none are left.
text::TextSteps plain(const text::TextSteps& steps) {
  text::TextSteps all = steps;
  all.normalizer.insert(all.normalizer.end(), all.behind.begin(), all.behind.end());
  all.behind.clear();
  std::erase_if(all.splits,
                [](const text::SplitStep& split) { return split.regex == text::regex_of(" "); });
  return all;
}

/// How text gets a space in front.
const SpacePrefixName* space_prefix_of(const std::string& place, const text::Vocabulary& v) {
  if (!v.rules) {
    const auto named = std::ranges::find(kSpacePrefixNames, v.space_prefix, &SpacePrefixName::kind);
    return v.space_prefix ? &*named : nullptr;
  }
  const text::TextSteps steps = plain(v.rules->steps);
  if (steps == text::sentencepiece_steps({})) return nullptr;
  for (const SpacePrefixName& name : kSpacePrefixNames) {
    if (steps == text::sentencepiece_steps(name.kind)) return &name;
  }
  throw Error(concat(place,
                     ": expected a normalizer and a pre_tokenizer that turn spaces into "
                     "U+2581, may put one in front, and do no more: GGUF has no key for others of "
                     "SentencePiece's kind"));
}

/// The score of a token is the place of the first merge that makes it, from behind; tokens that no
/// merge makes come last.
std::vector<float> scores_of(const text::Vocabulary& v) {
  if (!v.rules) return v.scores;
  const auto last = -static_cast<float>(v.rules->merges.size());
  std::vector<float> scores(v.tokens.size(), last);
  for (size_t i = v.rules->merges.size(); i-- > 0;)
    scores[static_cast<size_t>(v.rules->merges[i].token)] = -static_cast<float>(i);
  return scores;
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

void add_byte_level(const ModelFiles& model, const text::Vocabulary& v, GgufKeys& keys) {
  keys.text("tokenizer.ggml.pre", pre_of(model, v));
  keys.texts("tokenizer.ggml.merges", merges_of(v));
}

void add_sentencepiece(const ModelFiles& model, const text::Vocabulary& v, GgufKeys& keys) {
  const SpacePrefixName* prefix = space_prefix_of(tokenizer_place(model), v);
  keys.text("tokenizer.ggml.pre", "default");
  keys.numbers("tokenizer.ggml.scores", scores_of(v));
  keys.flag("tokenizer.ggml.add_space_prefix", prefix != nullptr);
  if (prefix != nullptr && prefix->kind != text::NormalizerStep::Kind::prepend)
    keys.text(kSpacePrefixKey, prefix->name);
}

std::vector<int32_t> types_of(const text::Vocabulary& v) {
  using text::TokenType;
  std::vector<int32_t> types = v.token_types;
  if (types.empty()) types.assign(v.tokens.size(), static_cast<int32_t>(TokenType::normal));
  if (v.model == "llama" && v.unk >= 0)
    types[static_cast<size_t>(v.unk)] = static_cast<int32_t>(TokenType::unknown);
  if (!v.rules) return types;
  for (const text::WrittenToken& token : v.rules->written) {
    if (!token.control)
      types[static_cast<size_t>(token.id)] = static_cast<int32_t>(TokenType::user_defined);
  }
  return types;
}

void add_vocabulary(const ModelFiles& model, const text::Vocabulary& v, GgufKeys& keys) {
  const bool sentencepiece = v.model == "llama";
  // Readers know of Phi-3's tokens that they take the spaces behind them.
  const bool strips = sentencepiece && model.config().architecture == "phi3";
  if (v.rules) check_rules(tokenizer_place(model), v, strips);
  keys.text("tokenizer.ggml.model", v.model);
  keys.texts("tokenizer.ggml.tokens", tokens_of(v));
  keys.numbers("tokenizer.ggml.token_type", types_of(v));
  sentencepiece ? add_sentencepiece(model, v, keys) : add_byte_level(model, v, keys);
  const auto id = [&](const char* name, int32_t token) {
    if (token >= 0) keys.integer(concat("tokenizer.ggml.", name, "_token_id"), token);
  };
  id("bos", v.bos);
  id("eos", v.eos);
  id("eot", end_of_turn(v));
  id("padding", v.pad);
  id("unknown", v.unk);
  keys.flag("tokenizer.ggml.add_bos_token", begins_with_bos(v));
  keys.flag("tokenizer.ggml.add_eos_token", v.rules ? !v.rules->suffix.empty() : v.add_eos);
  const std::string chat_template = model.chat_template();
  if (!chat_template.empty()) keys.text("tokenizer.chat_template", chat_template);
}

/// Throws Error unless the vocabulary of the keys gives text the tokens that the folder's gives it:
/// every token's own text, and neighbours of the vocabulary one behind the other.
void check_same_tokens(const ModelFiles& model, const text::Vocabulary& v,
                       const GgufMetadata& written) {
  constexpr size_t kTogether = 8;
  const text::Tokenizer theirs(v), ours(gguf_vocabulary(written));
  std::string together;
  const auto check = [&](const std::string& text) {
    const auto special = text::ParseSpecial::no;
    const bool same = theirs.encode(text, special, text::AddSpecial::yes) ==
                      ours.encode(text, special, text::AddSpecial::yes);
    CN_CHECK(same, tokenizer_place(model), ": text ", quote(text),
             ": becomes other tokens by the keys that GGUF has: such a tokenizer is not written");
  };
  for (size_t i = 0; i < v.tokens.size(); ++i) {
    if (v.type(static_cast<int32_t>(i)) != text::TokenType::normal) continue;
    const int32_t id[] = {static_cast<int32_t>(i)};
    const std::string text = theirs.decode(id);
    check(text);
    together += text;
    if (i % kTogether == 0) check(std::exchange(together, {}));
  }
}

/// Tensors of a model, and some that belong to its configuration.
class WithConfigTensors final : public TensorSource {
 public:
  WithConfigTensors(const TensorSource& model, std::vector<ConfigTensor> tensors)
      : model_(model), tensors_(std::move(tensors)) {
    for (const ConfigTensor& tensor : tensors_)
      entries_.push_back({.name = tensor.name, .cols = static_cast<int64_t>(tensor.values.size())});
  }

  const std::vector<TensorEntry>& entries() const override { return entries_; }
  const TensorEntry* find(std::string_view name) const override {
    const auto found = std::ranges::find(entries_, name, &TensorEntry::name);
    return found == entries_.end() ? model_.find(name) : &*found;
  }
  RowSource rows(const TensorEntry& entry, const MatrixSlice& slice) const override {
    return model_.rows(entry, slice);
  }
  std::vector<float> values(const TensorEntry& entry) const override {
    const auto found = std::ranges::find(tensors_, entry.name, &ConfigTensor::name);
    return found == tensors_.end() ? model_.values(entry) : found->values;
  }

 private:
  const TensorSource& model_;
  std::vector<ConfigTensor> tensors_;
  std::vector<TensorEntry> entries_;
};

}  // namespace

HfMetadata gguf_metadata_of(const ModelFiles& model, const std::string& name) {
  const DecoderConfig& config = model.config();
  const text::Vocabulary vocabulary = model.vocabulary();
  GgufKeys keys;
  keys.text("general.architecture", config.architecture);
  keys.text("general.name", name);
  add_config_keys(config, keys);
  add_vocabulary(model, vocabulary, keys);
  HfMetadata made{.entries = keys.entries, .config = {}, .tensors = config_tensors(config)};
  const GgufMetadata written(model.path(), keys.entries);
  made.config = read_config(written, WithConfigTensors(model.source(), made.tensors));
  const char* different = config_difference(config, made.config);
  CN_CHECK(different == nullptr, model.path(), "/config.json: ", different,
           ": is not as a GGUF file of architecture ", quote(config.architecture),
           " can say it: such a model is not written as GGUF");
  check_same_tokens(model, vocabulary, written);
  return made;
}

}  // namespace colonnade
