// The pre-tokenizers that GGUF files name.
#pragma once

#include <optional>
#include <string_view>

#include "colonnade/text/text_steps.h"

namespace colonnade::text {

/// What the models that name one pre-tokenizer do.
struct KnownSteps {
  TextSteps steps;
  bool whole_words;  ///< a word that is a token is that token, whatever the merges say
  bool add_bos;      ///< prompts start with the bos token unless the file says otherwise
};

/// `name` as in tokenizer.ggml.pre. Throws Error that lists the known names if it is none of them.
KnownSteps known_steps(std::string_view name);

/// What models with a tokenizer of SentencePiece's kind do: `space_prefix` puts a space in front.
TextSteps sentencepiece_steps(std::optional<NormalizerStep::Kind> space_prefix);

/// The pattern of GPT-2, which tokenizer.json calls "ByteLevel" with "use_regex".
extern const std::string_view kGpt2Regex;

}  // namespace colonnade::text
