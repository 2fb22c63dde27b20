// What a GGUF file says of a model that lies in Hugging Face's form.
#pragma once

#include <string>
#include <vector>

#include "colonnade/api/model_files.h"
#include "colonnade/io/gguf_metadata.h"
#include "colonnade/models/decoder_config.h"

namespace colonnade {

/// A model's configuration, tokenizer and chat template as a GGUF file has them.
struct HfMetadata {
  std::vector<GgufEntry> entries;
  DecoderConfig config;               // as read_config reads it from the entries
  std::vector<ConfigTensor> tensors;  // of the file beside the model's own
};

/// `name` becomes general.name. Throws Error that says what GGUF has no key for. The keys are read
/// back and compared, configuration and tokens of text: nothing is left out silently.
HfMetadata gguf_metadata_of(const ModelFiles& model, const std::string& name);

}  // namespace colonnade
