// The tokenizer's data out of a GGUF file.
#pragma once

#include "colonnade/io/gguf_metadata.h"
#include "colonnade/text/vocabulary.h"

namespace colonnade {

/// How text gets a space in front where tokenizer.ggml.add_space_prefix says that it does: a key of
/// Colonnade's own; not there, as SentencePiece does it ("always").
inline constexpr const char* kSpacePrefixKey = "colonnade.space_prefix";
struct SpacePrefixName {
  const char* name;
  text::NormalizerStep::Kind kind;
};
inline constexpr SpacePrefixName kSpacePrefixNames[] = {
    {"always", text::NormalizerStep::Kind::prepend},
    {"unless-there", text::NormalizerStep::Kind::prepend_unless},
    {"first", text::NormalizerStep::Kind::prepend_first},
};

/// The keys tokenizer.ggml.* of `metadata`. Throws Error if the model, its pre-tokenizer or the
/// tokens are not there, or a value has the wrong type. Source: GGUF specification, "Tokenizer".
text::Vocabulary gguf_vocabulary(const GgufMetadata& metadata);

}  // namespace colonnade
