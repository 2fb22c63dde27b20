// The tokenizer's data out of a GGUF file.
#pragma once

#include "colonnade/io/gguf_metadata.h"
#include "colonnade/text/vocabulary.h"

namespace colonnade {

/// The keys tokenizer.ggml.* of `metadata`. Throws Error if the model, its pre-tokenizer or the
/// tokens are not there, or a value has the wrong type. Source: GGUF specification, "Tokenizer".
text::Vocabulary gguf_vocabulary(const GgufMetadata& metadata);

}  // namespace colonnade
