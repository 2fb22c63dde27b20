#include "colonnade/api/gguf_vocabulary.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

int32_t narrowed(const GgufMetadata& metadata, const char* key, int64_t value) {
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
    metadata.refuse(key, concat("expected a 32-bit number, got ", value));
  return static_cast<int32_t>(value);
}

int32_t token_id(const GgufMetadata& metadata, const char* key) {
  return narrowed(metadata, key, metadata.integer_or(key, -1));
}

/// Colonnade's own key says what GGUF's flag cannot.
std::optional<text::NormalizerStep::Kind> space_prefix(const GgufMetadata& metadata) {
  if (!metadata.flag_or("tokenizer.ggml.add_space_prefix", true)) return std::nullopt;
  const std::string when = metadata.text_or(kSpacePrefixKey, "always");
  for (const SpacePrefixName& name : kSpacePrefixNames) {
    if (name.name == when) return name.kind;
  }
  metadata.refuse(kSpacePrefixKey,
                  concat("expected always, unless-there or first, got ", quote(when)));
}

std::vector<std::string> strings(const GgufMetadata& metadata, const char* key) {
  std::vector<std::string> out;
  if (!metadata.has(key)) return out;
  const StringArray& array = metadata.strings(key);
  out.reserve(static_cast<size_t>(array.size()));
  for (int64_t i = 0; i < array.size(); ++i) out.emplace_back(array[i]);
  return out;
}

}  // namespace

text::Vocabulary gguf_vocabulary(const GgufMetadata& metadata) {
  constexpr const char* kTypes = "tokenizer.ggml.token_type";
  text::Vocabulary v;
  v.model = metadata.text("tokenizer.ggml.model");
  v.pre = metadata.text_or("tokenizer.ggml.pre", "");
  v.tokens = strings(metadata, "tokenizer.ggml.tokens");
  v.merges = strings(metadata, "tokenizer.ggml.merges");
  if (metadata.has(kTypes)) {
    for (const int64_t type : metadata.integers(kTypes))
      v.token_types.push_back(narrowed(metadata, kTypes, type));
  }
  if (metadata.has("tokenizer.ggml.scores")) v.scores = metadata.numbers("tokenizer.ggml.scores");
  v.bos = token_id(metadata, "tokenizer.ggml.bos_token_id");
  v.eos = token_id(metadata, "tokenizer.ggml.eos_token_id");
  v.eot = token_id(metadata, "tokenizer.ggml.eot_token_id");
  v.pad = token_id(metadata, "tokenizer.ggml.padding_token_id");
  v.unk = token_id(metadata, "tokenizer.ggml.unknown_token_id");
  constexpr const char* kAddBos = "tokenizer.ggml.add_bos_token";
  if (metadata.has(kAddBos)) v.add_bos = metadata.flag_or(kAddBos, false);
  v.add_eos = metadata.flag_or("tokenizer.ggml.add_eos_token", false);
  v.space_prefix = space_prefix(metadata);
  // Source: added_tokens of microsoft/Phi-3-mini-4k-instruct's tokenizer.json ("rstrip"), for which
  // GGUF has no key; Phi-4 has the same architecture, but byte-level BPE and no such tokens.
  v.strip_behind_control =
      v.model == "llama" && metadata.text_or("general.architecture", "") == "phi3";
  return v;
}

}  // namespace colonnade
