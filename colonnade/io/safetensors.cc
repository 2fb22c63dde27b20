#include "colonnade/io/safetensors.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/file_kind.h"
#include "colonnade/io/named_tensors.h"

namespace colonnade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndexName = "model.safetensors.index.json";
constexpr const char* kOneName = "model.safetensors";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The index or the one file of a folder.
fs::path weights_in_folder(const fs::path& folder) {
  for (const char* name : {kIndexName, kOneName}) {
    if (is_there(folder / name)) return folder / name;
  }
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  CN_CHECK(!names.empty(), folder.string(), ": is a folder without a safetensors file");
  CN_CHECK(names.size() == 1, folder.string(), ": is a folder with ", names.size(),
           " safetensors files (", names[0], ", ", names[1], names.size() > 2 ? ", ..." : "",
           ") and without the index that says what they are: expected ", kIndexName);
  return folder / names.front();
}

/// The index beside `file` if it names it: then the file is one of a model's.
fs::path index_that_names(const fs::path& file) {
  const fs::path index = file.parent_path() / kIndexName;
  if (!is_there(index)) return {};
  const std::vector<std::string> files = read_safetensors_index(File(index.string())).files;
  const bool named = std::ranges::find(files, file.filename().string()) != files.end();
  return named ? index : fs::path();
}

/// The index, or the one file, that `path` means.
fs::path weights_of(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return weights_in_folder(path);
  if (path.extension() == ".json") return path;
  const fs::path index = index_that_names(path);
  return index.empty() ? path : index;
}

/// "'a', 'b' and 3 more"
std::string first_few(const std::vector<std::string>& names) {
  constexpr size_t kFew = 3;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kFew); ++i) {
    text += (i == 0 ? "" : ", ") + quote(names[i]);
  }
  return names.size() > kFew ? concat(text, " and ", names.size() - kFew, " more") : text;
}

}  // namespace

SafetensorsFiles::SafetensorsFiles(const std::string& path) : path_(weights_of(path).string()) {
  if (fs::path(path_).extension() != ".json") {
    CN_CHECK(is_there(path_), path_, ": no such file", dangling_link(path_));
    append(File(path_));
    index_tensors();
    return;
  }
  const SafetensorsIndex index = read_safetensors_index(File(path_));
  open_all(index);
  index_tensors();
  compare(index);
}

void SafetensorsFiles::open_all(const SafetensorsIndex& index) {
  const fs::path folder = fs::path(path_).parent_path();
  std::vector<std::string> missing;
  for (const std::string& name : index.files) {
    if (!is_there(folder / name)) missing.push_back(name);
  }
  CN_CHECK(missing.empty(), path_, ": the index names ", index.files.size(), " files, of which ",
           missing.size(), missing.size() == 1 ? " is" : " are", " not there: ", first_few(missing),
           dangling_link((folder / missing.front()).string()));
  for (const std::string& name : index.files) append(File((folder / name).string()));
}

void SafetensorsFiles::append(File file) {
  const auto shard = static_cast<int>(files_.size());
  for (SafetensorsTensor& tensor : read_safetensors_header(file).tensors) {
    tensor.shard = shard;
    tensors_.push_back(std::move(tensor));
  }
  files_.push_back(std::move(file));
}

const std::string& SafetensorsFiles::file_of(const SafetensorsTensor& tensor) const {
  return files_[static_cast<size_t>(tensor.shard)].path();
}

void SafetensorsFiles::index_tensors() {
  by_name_ = sorted_by_name(tensors_);
  const auto twice = find_twins(tensors_, by_name_);
  if (twice == by_name_.end()) return;
  throw Error(concat(path(), ": tensor ", quote(tensors_[*twice].name), ": is in ",
                     file_of(tensors_[*twice]), " and in ", file_of(tensors_[*(twice + 1)])));
}

void SafetensorsFiles::compare(const SafetensorsIndex& index) {
  std::vector<std::string> gone, moved, unnamed;
  for (const auto& [name, file] : index.places) {
    const SafetensorsTensor* tensor = find(name);
    if (tensor == nullptr) {
      gone.push_back(name);
    } else if (fs::path(file_of(*tensor)).filename() != file) {
      moved.push_back(name);
    }
  }
  for (const SafetensorsTensor& tensor : tensors_) {
    const auto found =
        std::ranges::lower_bound(index.places, tensor.name, {}, &SafetensorsIndex::Place::tensor);
    if (found == index.places.end() || found->tensor != tensor.name) unnamed.push_back(tensor.name);
  }
  const auto warn = [&](const std::vector<std::string>& names, const char* what) {
    if (names.empty()) return;
    warnings_.push_back(concat(path_, ": the index is not that of these files: tensors ", what,
                               " (", names.size(), "): ", first_few(names)));
  };
  warn(gone, "that it names and none of them has");
  warn(moved, "in another file than it says");
  warn(unnamed, "that it does not name");
}

const SafetensorsTensor* SafetensorsFiles::find(std::string_view name) const {
  return find_by_name(tensors_, by_name_, name);
}

void SafetensorsFiles::read(const SafetensorsTensor& tensor, int64_t begin,
                            std::span<std::byte> out) const {
  read_tensor(files_, file_of(tensor), tensor, begin, out);
}

}  // namespace colonnade
