// A model as Hugging Face's tools keep it: a folder with config.json, texts of the tokenizer and
// weights in safetensors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "colonnade/io/hf_config.h"
#include "colonnade/io/safetensors.h"

namespace colonnade {

/// Is `path` such a folder, or its config.json, an index or a safetensors file? Of a folder with
/// GGUF files only if it has safetensors too.
bool is_hf_model(const std::string& path);

class HfFolder {
 public:
  /// `path`: the folder, its config.json, its index or a safetensors file. Throws Error if there is
  /// no such thing, or config.json is none.
  explicit HfFolder(const std::string& path);

  const std::string& path() const { return path_; }
  /// Throws Error if there is no config.json.
  const HfConfig& config() const;
  /// generation_config.json
  std::optional<HfConfig> generation_config() const;
  /// A file of the folder; nothing if there is none.
  std::optional<std::string> text(std::string_view name) const;
  /// chat_template.jinja, else "chat_template" of tokenizer_config.json (of several the one called
  /// "default"), else of chat_template.json; empty if there is none. Throws Error if one of them is
  /// no JSON, or none of several is called so.
  std::string chat_template() const;
  /// Opens the weights. Throws Error as SafetensorsFiles does, and if they are only there in a form
  /// that is not read (PyTorch's): with what to do.
  SafetensorsFiles weights() const;

 private:
  std::optional<HfConfig> json(std::string_view name) const;

  std::string path_;
  std::string weights_;  // a file or the folder
  std::optional<HfConfig> config_;
};

}  // namespace colonnade
