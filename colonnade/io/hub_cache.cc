#include "colonnade/io/hub_cache.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "colonnade/base/env.h"
#include "colonnade/base/error.h"
#include "colonnade/base/text_file.h"

namespace colonnade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "models--";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// A part of a model's name: no part of a path that leads elsewhere.
bool is_word(std::string_view word) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !word.empty() && word.front() != '.' && std::ranges::all_of(word, fits);
}

struct HubName {
  std::string repository;  // "org/name" or "name"
  std::string revision;    // empty: none was given

  /// "models--org--name"
  std::string folder() const {
    std::string text(kPrefix);
    for (const char c : repository) text += c == '/' ? "--" : std::string(1, c);
    return text;
  }
};

/// Nothing if a user cannot mean a model of the hub by it.
std::optional<HubName> parse_name(std::string_view text) {
  const size_t at = text.find('@');
  HubName name{std::string(text.substr(0, at)), {}};
  if (at != std::string_view::npos) name.revision = text.substr(at + 1);
  const std::vector<std::string_view> words = split(name.repository, '/');
  const std::vector<std::string_view> steps = split(name.revision, '/');
  const bool fits = !words.empty() && words.size() <= 2 && std::ranges::all_of(words, is_word) &&
                    std::ranges::all_of(steps, is_word);
  const bool is_file = text.ends_with(".gguf") || text.ends_with(".safetensors");
  if (!fits || is_file || (at != std::string_view::npos && steps.empty())) return std::nullopt;
  return name;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// "a, b, c and 7 more", or `none`.
std::string first_few(const std::vector<std::string>& names, const char* none) {
  constexpr size_t kFew = 5;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kFew); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kFew) text += concat(" and ", names.size() - kFew, " more");
  return names.empty() ? none : text;
}

/// "org/name" of every model in the cache.
std::vector<std::string> models_in(const std::string& cache) {
  std::vector<std::string> models;
  for (const std::string& folder : names_in(cache)) {
    if (!folder.starts_with(kPrefix)) continue;
    std::string name = folder.substr(kPrefix.size());
    const size_t cut = name.find("--");
    if (cut != std::string::npos) name.replace(cut, 2, "/");
    models.push_back(name);
  }
  return models;
}

[[noreturn]] void fail_without_model(const std::string& name, const std::string& cache) {
  std::string why = "and the environment names no folder of downloads (HF_HOME, HOME)";
  if (!cache.empty() && !is_there(cache)) {
    why = concat("and the folder of downloads ", cache, " is not there");
  } else if (!cache.empty()) {
    why = concat("and no such model in ", cache,
                 ", which holds: ", first_few(models_in(cache), "no model"));
  }
  throw Error(concat(name, ": no such file or folder, ", why,
                     ": expected a path, or the name of a model that has been downloaded"));
}

/// The commit that a branch or tag means, or the revision itself.
std::string commit_of(const fs::path& model, const std::string& revision) {
  const std::optional<std::string> text = read_text((model / "refs" / revision).string());
  return text ? std::string(trim(*text)) : revision;
}

std::string snapshot_of(const fs::path& model, const HubName& name) {
  const std::string revision = name.revision.empty() ? "main" : name.revision;
  const std::string commit = commit_of(model, revision);
  CN_CHECK(is_word(commit), (model / "refs" / revision).string(),
           ": expected the name of a snapshot");
  const fs::path snapshot = model / "snapshots" / commit;
  if (is_there(snapshot)) return snapshot.string();
  const std::string commits = first_few(names_in(model / "snapshots"), "no snapshot");
  throw Error(concat(name.repository, ": revision ", revision,
                     commit == revision ? "" : concat(" (", commit, ")"), " is not in ",
                     model.string(), ", which holds: ", commits, ": expected one of these, as ",
                     name.repository, "@REVISION, or download it"));
}

}  // namespace

std::string hub_cache_folder() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const auto folder = environment_variable(name)) return *folder;
  }
  if (const auto home = environment_variable("HF_HOME")) return (fs::path(*home) / "hub").string();
  const fs::path below = fs::path("huggingface") / "hub";
  if (const auto cache = environment_variable("XDG_CACHE_HOME")) {
    return (fs::path(*cache) / below).string();
  }
  if (const auto home = environment_variable("HOME")) {
    return (fs::path(*home) / ".cache" / below).string();
  }
  return {};
}

std::string resolve_model(const std::string& name, const std::string& cache) {
  if (is_there(name)) return name;
  const std::optional<HubName> hub = parse_name(name);
  if (!hub) return name;
  const fs::path model = fs::path(cache) / hub->folder();
  if (cache.empty() || !is_there(model)) fail_without_model(name, cache);
  return snapshot_of(model, *hub);
}

}  // namespace colonnade
