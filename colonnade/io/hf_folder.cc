#include "colonnade/io/hf_folder.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "colonnade/base/error.h"
#include "colonnade/io/file_kind.h"
#include "colonnade/io/model_text.h"

namespace colonnade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kIndexEnd = ".safetensors.index.json";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_weights(std::string_view name) {
  return name.ends_with(".safetensors") || name.ends_with(kIndexEnd);
}

/// Weights in forms that are not read: pickles can run any code.
bool is_foreign_weights(std::string_view name) {
  return (name.starts_with("pytorch_model") && name.ends_with(".bin")) || name.ends_with(".pth") ||
         name.ends_with(".pt") || name.ends_with(".msgpack") || name.ends_with(".h5");
}

std::vector<std::string> file_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

template <typename Predicate>
std::string first_that(const std::vector<std::string>& names, const Predicate& fits) {
  const auto found = std::ranges::find_if(names, fits);
  return found == names.end() ? std::string() : *found;
}

/// The one called "default" of several templates, or the only one.
std::string default_template(const HfConfig& config) {
  const std::vector<HfConfig> all = config.objects("chat_template");
  std::string names;
  for (const HfConfig& one : all) {
    if (one.text("name") == "default" || all.size() == 1) return one.text("template");
    names += (names.empty() ? "" : ", ") + one.text("name");
  }
  CN_CHECK(all.empty(), config.place("chat_template"),
           ": expected a template with the name default, got ", names);
  return {};
}

std::string template_in(const HfConfig& config) {
  return config.is_list("chat_template") ? default_template(config)
                                         : config.text_or("chat_template", "");
}

}  // namespace

bool is_hf_model(const std::string& path) {
  if (!is_folder(path)) return is_weights(path) || fs::path(path).filename() == kConfig;
  const std::vector<std::string> names = file_names(path);
  if (!first_that(names, is_weights).empty()) return true;
  const auto is_gguf = [](std::string_view name) { return name.ends_with(".gguf"); };
  if (!first_that(names, is_gguf).empty()) return false;
  return std::ranges::find(names, kConfig) != names.end() ||
         !first_that(names, is_foreign_weights).empty();
}

HfFolder::HfFolder(const std::string& path) : path_(path), weights_(path) {
  if (!is_folder(path)) {
    CN_CHECK(is_weights(path) || fs::path(path).filename() == kConfig, path,
             ": expected a folder, config.json, an index or a safetensors file");
    const fs::path folder = fs::path(path).parent_path();
    path_ = folder.empty() ? "." : folder.string();
    if (!is_weights(path)) weights_ = path_;
    CN_CHECK(is_folder(path_), path, ": no such file");
  }
  config_ = json(kConfig);
}

const HfConfig& HfFolder::config() const {
  CN_CHECK(config_.has_value(), path_, ": expected ", kConfig,
           ", which says what model it is, but there is none");
  return *config_;
}

std::optional<HfConfig> HfFolder::generation_config() const {
  return json("generation_config.json");
}

std::optional<std::string> HfFolder::text(std::string_view name) const {
  const fs::path path = fs::path(path_) / name;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    const std::string why = dangling_link(path.string());
    CN_CHECK(why.empty(), path.string(), why);
    return std::nullopt;
  }
  return read_model_text(File(path.string()));
}

std::optional<HfConfig> HfFolder::json(std::string_view name) const {
  const std::optional<std::string> content = text(name);
  if (!content) return std::nullopt;
  return HfConfig(*content, (fs::path(path_) / name).string());
}

std::string HfFolder::chat_template() const {
  if (const auto jinja = text("chat_template.jinja")) return *jinja;
  for (const char* name : {"tokenizer_config.json", "chat_template.json"}) {
    const std::optional<HfConfig> config = json(name);
    if (config && config->has("chat_template")) return template_in(*config);
  }
  return {};
}

SafetensorsFiles HfFolder::weights() const {
  if (is_folder(weights_)) {
    const std::vector<std::string> names = file_names(weights_);
    const std::string foreign = first_that(names, is_foreign_weights);
    CN_CHECK(foreign.empty() || !first_that(names, is_weights).empty(), weights_,
             ": expected model.safetensors, got ", foreign,
             ", a form that is not read: convert it with transformers, "
             "AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)");
  }
  return SafetensorsFiles(weights_);
}

}  // namespace colonnade
