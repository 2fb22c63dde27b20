// What a GGUF file says of a model that lies in Hugging Face's form.
#pragma once

#include <string>
#include <vector>

#include "colonnade/api/model_files.h"
#include "colonnade/io/gguf_metadata.h"

namespace colonnade {

/// Configuration, tokenizer and chat template as GGUF's keys; `name` becomes general.name. Throws
/// Error that says what has no key, or is not written by this version: other families than llama,
/// qwen2 and qwen3, rotary scaling other than linear, a tokenizer that GGUF has no name for. The
/// keys are read back and compared: nothing is left out silently.
std::vector<GgufEntry> gguf_metadata_of(const ModelFiles& model, const std::string& name);

}  // namespace colonnade
