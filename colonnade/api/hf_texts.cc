#include "colonnade/api/hf_texts.h"

#include <array>
#include <filesystem>
#include <utility>

#include "colonnade/io/gguf_keys.h"
#include "colonnade/text/tokenizer_json.h"

namespace colonnade {
namespace {

const std::string kStart = "colonnade.hf.";
constexpr const char* kChatTemplate = "chat_template";

// In the order of text::TokenizerFiles.
constexpr std::array kNames = {"tokenizer.json",
                               "vocab.json",
                               "merges.txt",
                               "tokenizer_config.json",
                               "special_tokens_map.json",
                               "generation_config.json",
                               "config.json"};
constexpr const char* kConfig = kNames.back();

}  // namespace

text::Vocabulary hf_vocabulary(const TextOfFile& text, const std::string& place, int64_t rows) {
  std::array<std::string, kNames.size()> texts;
  std::array<text::FileText, kNames.size()> all;
  for (size_t i = 0; i < kNames.size(); ++i) {
    texts[i] = text(kNames[i]);
    all[i] = {texts[i], place + "/" + kNames[i]};
  }
  return text::read_tokenizer_json({.tokenizer = all[0],
                                    .vocab = all[1],
                                    .merges = all[2],
                                    .tokenizer_config = all[3],
                                    .special_tokens_map = all[4],
                                    .generation_config = all[5],
                                    .config = all[6],
                                    .embedding_rows = rows});
}

std::vector<GgufEntry> hf_text_keys(const HfFolder& folder) {
  GgufKeys keys;
  keys.text("general.architecture", folder.config().text("model_type"));
  keys.text("general.name", folder_name(folder.path()));
  for (const char* name : kNames) {
    if (auto text = folder.text(name)) keys.text(kStart + name, *std::move(text));
  }
  std::string chat_template = folder.chat_template();
  if (!chat_template.empty()) keys.text(kStart + kChatTemplate, std::move(chat_template));
  return std::move(keys.entries);
}

bool has_hf_texts(const GgufMetadata& keys) { return keys.has(kStart + kConfig); }

HfConfig hf_config_of(const GgufMetadata& keys, const std::string& place) {
  return HfConfig(keys.text(kStart + kConfig), place + "/" + kConfig);
}

text::Vocabulary hf_vocabulary_of(const GgufMetadata& keys, const std::string& place,
                                  int64_t rows) {
  return hf_vocabulary([&](const std::string& name) { return keys.text_or(kStart + name, ""); },
                       place, rows);
}

std::string hf_chat_template_of(const GgufMetadata& keys) {
  return keys.text_or(kStart + kChatTemplate, "");
}

std::string folder_name(const std::string& path) {
  return std::filesystem::path(path + "/").parent_path().filename().string();
}

}  // namespace colonnade
