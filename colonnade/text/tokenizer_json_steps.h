// The parts of a tokenizer.json that say what is done to text before and behind the model.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "colonnade/base/json_value.h"
#include "colonnade/text/text_steps.h"

namespace colonnade::text {

/// Throws Error if `object` is none, or has a field that is not among `names`.
void check_known(const JsonValue& object, std::initializer_list<std::string_view> names);

/// The field `name`; nothing if it is missing or null.
std::optional<JsonValue> find(const JsonValue& object, std::string_view name);

bool flag_or(const JsonValue& object, std::string_view name, bool otherwise);

/// All of these throw Error that names the place and what is supported if a step is none that we
/// have: none is left out. Source: Hugging Face `tokenizers`, the serialized form of its
/// components.

/// The member "normalizer".
std::vector<NormalizerStep> read_normalizer(const JsonValue& json);

struct PreTokenizerSteps {
  std::vector<NormalizerStep> behind;
  std::vector<SplitStep> splits;
  bool byte_level = false;  ///< words become bytes
};
/// The member "pre_tokenizer".
PreTokenizerSteps read_pre_tokenizer(const JsonValue& json);

struct DecoderForm {
  bool byte_level = false;  ///< otherwise SentencePiece's
  bool strip_first_space = false;
};
/// The member "decoder".
DecoderForm read_decoder(const JsonValue& json);

/// Ids put around a text.
struct AroundText {
  std::vector<int32_t> prefix;
  std::vector<int32_t> suffix;
};
/// The member "post_processor"; ids below `tokens`.
AroundText read_post_processor(const JsonValue& json, int64_t tokens);

}  // namespace colonnade::text
