#include "colonnade/io/gguf.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

constexpr const char* kSplitNumber = "split.no";
constexpr const char* kSplitCount = "split.count";
constexpr const char* kSplitTensors = "split.tensors.count";
constexpr int64_t kMostShards = 99999;  // five digits in the names

/// The end of the name of shard `number` (from 0) of `count`. Source: llama.cpp, LLM_KV_SPLIT,
/// "%s-%05d-of-%05d.gguf".
std::string shard_suffix(int64_t number, int64_t count) {
  char text[64];
  std::snprintf(text, sizeof text, "-%05d-of-%05d.gguf", static_cast<int>(number + 1),
                static_cast<int>(count));
  return text;
}

/// The one model of a folder: its only GGUF file, or the first of its shards.
std::string model_in_folder(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".gguf") names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  CN_CHECK(!names.empty(), folder, ": is a folder without a GGUF file");
  const auto count = static_cast<int64_t>(names.size());
  const bool shards = count <= kMostShards && names.front().ends_with(shard_suffix(0, count));
  CN_CHECK(count == 1 || shards, folder, ": is a folder with ", count,
           " GGUF files that are not the shards of one model (", names[0], ", ", names[1],
           count > 2 ? ", ..." : "", "): give the path of one of them");
  return (std::filesystem::path(folder) / names.front()).string();
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

struct Split {
  int64_t number = 0;
  int64_t count = 1;
};

Split split_of(const std::string& path, const GgufMetadata& metadata) {
  const Split split{metadata.integer_or(kSplitNumber, 0), metadata.integer_or(kSplitCount, 1)};
  if (split.count == 0) return {0, 1};  // written so for a model that is whole
  CN_CHECK(split.count >= 1 && split.count <= kMostShards, path, ": metadata key '", kSplitCount,
           "': expected 1 to ", kMostShards, ", got ", split.count);
  CN_CHECK(split.number >= 0 && split.number < split.count, path, ": metadata key '", kSplitNumber,
           "': expected 0 to ", split.count - 1, ", got ", split.number);
  return split;
}

/// The paths of all shards, from the path of one.
std::vector<std::string> shard_paths(const std::string& path, Split split) {
  const std::string suffix = shard_suffix(split.number, split.count);
  CN_CHECK(path.ends_with(suffix), path, ": this is shard ", split.number + 1, " of ", split.count,
           ": expected a name that ends in '", suffix, "', by which the other shards are found");
  const std::string stem = path.substr(0, path.size() - suffix.size());
  std::vector<std::string> paths;
  for (int64_t number = 0; number < split.count; ++number) {
    paths.push_back(stem + shard_suffix(number, split.count));
    std::error_code ignored;
    CN_CHECK(std::filesystem::exists(paths.back(), ignored), path, ": shard ", number + 1, " of ",
             split.count, " is missing: expected ", paths.back());
  }
  return paths;
}

void check_same_split(const std::string& path, const GgufMetadata& metadata, Split expected) {
  const Split got = split_of(path, metadata);
  CN_CHECK(got.number == expected.number && got.count == expected.count, path, ": expected shard ",
           expected.number + 1, " of ", expected.count,
           " by its name, but the file says that it is shard ", got.number + 1, " of ", got.count);
}

}  // namespace

GgufFile::GgufFile(const std::string& path) {
  File first(is_folder(path) ? model_in_folder(path) : path);
  GgufHeader header = read_gguf_header(first);
  const Split split = split_of(first.path(), header.metadata);
  if (split.count == 1) {
    append(std::move(first), std::move(header));
    index_tensors();
    return;
  }
  for (const std::string& shard_path : shard_paths(first.path(), split)) {
    File file(shard_path);
    GgufHeader shard_header = read_gguf_header(file);
    check_same_split(shard_path, shard_header.metadata,
                     {static_cast<int64_t>(files_.size()), split.count});
    append(std::move(file), std::move(shard_header));
  }
  const auto found = static_cast<int64_t>(tensors_.size());
  const int64_t promised = metadata_.integer_or(kSplitTensors, found);
  CN_CHECK(found == promised, this->path(), ": metadata key '", kSplitTensors, "': expected ",
           promised, " tensors in the ", split.count, " shards, got ", found);
  index_tensors();
}

void GgufFile::append(File file, GgufHeader header) {
  const auto shard = static_cast<int>(files_.size());
  if (shard == 0) {
    version_ = header.version;
    metadata_ = std::move(header.metadata);
  }
  for (GgufTensor& tensor : header.tensors) {
    tensor.shard = shard;
    tensors_.push_back(std::move(tensor));
  }
  files_.push_back(std::move(file));
}

void GgufFile::index_tensors() {
  by_name_.resize(tensors_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  const auto name_of = [this](uint32_t i) -> const std::string& { return tensors_[i].name; };
  std::ranges::sort(by_name_, {}, name_of);
  const auto twice = std::ranges::adjacent_find(by_name_, {}, name_of);
  if (twice == by_name_.end()) return;
  throw Error(concat(path(), ": tensor ", quote(name_of(*twice)), ": is in shard ",
                     tensors_[*twice].shard + 1, " and in shard ",
                     tensors_[*(twice + 1)].shard + 1));
}

const GgufTensor* GgufFile::find(std::string_view name) const {
  const auto name_of = [this](uint32_t i) { return std::string_view(tensors_[i].name); };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  if (found == by_name_.end() || name_of(*found) != name) return nullptr;
  return &tensors_[*found];
}

void GgufFile::read(const GgufTensor& tensor, int64_t begin, std::span<std::byte> out) const {
  const auto size = static_cast<int64_t>(out.size());
  CN_CHECK(begin >= 0 && begin <= tensor.size_bytes && size <= tensor.size_bytes - begin, path(),
           ": tensor ", quote(tensor.name), ": read: expected bytes within its ", tensor.size_bytes,
           ", got ", size, " from ", begin, " on");
  files_[static_cast<size_t>(tensor.shard)].read_at(tensor.offset + begin, out);
}

int64_t GgufFile::size_bytes() const {
  int64_t total = 0;
  for (const File& file : files_) total += file.size();
  return total;
}

int64_t GgufFile::bytes_read() const {
  int64_t total = 0;
  for (const File& file : files_) total += file.bytes_read();
  return total;
}

}  // namespace colonnade
