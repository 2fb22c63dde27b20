// The texts of a Hugging Face folder (configuration, tokenizer, chat template) as keys of a rank
// file, so that a model that was cut is configured as the folder is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "colonnade/io/gguf_metadata.h"
#include "colonnade/io/hf_config.h"
#include "colonnade/io/hf_folder.h"
#include "colonnade/text/vocabulary.h"

namespace colonnade {

/// The text of a file of the folder by its name; empty if there is none.
using TextOfFile = std::function<std::string(const std::string& name)>;

/// `place` and a name make a path for messages; `rows` are the embedding's, where config.json does
/// not say.
text::Vocabulary hf_vocabulary(const TextOfFile& text, const std::string& place, int64_t rows);

/// colonnade.hf.config.json and so on, and colonnade.hf.chat_template.
std::vector<GgufEntry> hf_text_keys(const HfFolder& folder);

/// Whether the keys are those of a folder.
bool has_hf_texts(const GgufMetadata& keys);
/// Of such keys. `place` and `rows` as above.
HfConfig hf_config_of(const GgufMetadata& keys, const std::string& place);
text::Vocabulary hf_vocabulary_of(const GgufMetadata& keys, const std::string& place, int64_t rows);
std::string hf_chat_template_of(const GgufMetadata& keys);

/// The last name in a folder's path.
std::string folder_name(const std::string& path);

}  // namespace colonnade
