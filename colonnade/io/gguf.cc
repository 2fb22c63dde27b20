#include "colonnade/io/gguf.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/named_tensors.h"

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

struct Split {
  int64_t number = 0;
  int64_t count = 1;
};

/// What a file's name says of it: nothing unless it ends as a shard's.
std::optional<Split> split_of_name(std::string_view name) {
  int number = 0, count = 0;
  const size_t size = shard_suffix(0, 1).size();
  if (name.size() < size) return std::nullopt;
  const std::string end(name.substr(name.size() - size));
  if (std::sscanf(end.c_str(), "-%5d-of-%5d.gguf", &number, &count) != 2) return std::nullopt;
  const Split split{number - 1, count};
  if (number < 1 || end != shard_suffix(split.number, split.count)) return std::nullopt;
  return split;
}

/// True if the names are those of shards of one model, perhaps not of all.
bool are_shards_of_one(const std::vector<std::string>& names) {
  const std::optional<Split> first = split_of_name(names.front());
  if (!first) return false;
  const size_t stem = names.front().size() - shard_suffix(0, 1).size();
  return std::ranges::all_of(names, [&](const std::string& name) {
    const std::optional<Split> split = split_of_name(name);
    return split && split->count == first->count &&
           name.substr(0, stem) == names.front().substr(0, stem) &&
           name.size() == names.front().size();
  });
}

/// The one model of a folder: its only GGUF file, or the first of its shards.
std::string model_in_folder(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".gguf") names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  CN_CHECK(!names.empty(), folder, ": is a folder without a GGUF file");
  CN_CHECK(names.size() == 1 || are_shards_of_one(names), folder, ": is a folder with ",
           names.size(), " GGUF files that are not the shards of one model (", names[0], ", ",
           names[1], names.size() > 2 ? ", ..." : "", "): give the path of one of them");
  return (std::filesystem::path(folder) / names.front()).string();
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

Split split_of(const GgufMetadata& metadata) {
  const Split split{metadata.integer_or(kSplitNumber, 0), metadata.integer_or(kSplitCount, 1)};
  if (split.count == 0) return {0, 1};  // written so for a model that is whole
  if (split.count < 1 || split.count > kMostShards)
    metadata.refuse(kSplitCount, concat("expected 1 to ", kMostShards, ", got ", split.count));
  if (split.number < 0 || split.number >= split.count)
    metadata.refuse(kSplitNumber,
                    concat("expected 0 to ", split.count - 1, ", got ", split.number));
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
  const Split got = split_of(metadata);
  CN_CHECK(got.number == expected.number && got.count == expected.count, path, ": expected shard ",
           expected.number + 1, " of ", expected.count, " by its name, but the file says (",
           kSplitNumber, ", ", kSplitCount, ") that it is shard ", got.number + 1, " of ",
           got.count);
}

/// Every shard says how many tensors all of them hold; one that says nothing is content.
void check_tensor_count(const GgufMetadata& metadata, int64_t promised) {
  const int64_t own = metadata.integer_or(kSplitTensors, promised);
  if (own == promised) return;
  metadata.refuse(kSplitTensors,
                  concat("expected ", promised, ", as the first shard says, got ", own));
}

}  // namespace

GgufFile::GgufFile(const std::string& path) {
  File first(is_folder(path) ? model_in_folder(path) : path);
  GgufHeader header = read_gguf_header(first);
  const Split split = split_of(header.metadata);
  if (split.count == 1) {
    if (const auto named = split_of_name(first.path()))
      check_same_split(first.path(), header.metadata, *named);
    append(std::move(first), std::move(header));
    index_tensors();
    return;
  }
  for (const std::string& shard_path : shard_paths(first.path(), split)) {
    File file(shard_path);
    GgufHeader shard_header = read_gguf_header(file);
    check_same_split(shard_path, shard_header.metadata,
                     {static_cast<int64_t>(files_.size()), split.count});
    if (!files_.empty())
      check_tensor_count(shard_header.metadata, metadata_.integer_or(kSplitTensors, -1));
    append(std::move(file), std::move(shard_header));
  }
  const auto found = static_cast<int64_t>(tensors_.size());
  const int64_t promised = metadata_.integer_or(kSplitTensors, found);
  if (found != promised) {
    metadata_.refuse(kSplitTensors, concat("expected ", promised, " tensors in the ", split.count,
                                           " shards, got ", found));
  }
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
  by_name_ = sorted_by_name(tensors_);
  const auto twice = find_twins(tensors_, by_name_);
  if (twice == by_name_.end()) return;
  throw Error(concat(path(), ": tensor ", quote(tensors_[*twice].name), ": is in shard ",
                     tensors_[*twice].shard + 1, " and in shard ",
                     tensors_[*(twice + 1)].shard + 1));
}

const GgufTensor* GgufFile::find(std::string_view name) const {
  return find_by_name(tensors_, by_name_, name);
}

void GgufFile::read(const GgufTensor& tensor, int64_t begin, std::span<std::byte> out) const {
  read_tensor(files_, path(), tensor, begin, out);
}

std::vector<GgufEntry> unsplit_metadata(const GgufFile& file) {
  std::vector<GgufEntry> entries;
  for (const GgufEntry& entry : file.metadata().entries()) {
    if (!entry.key.starts_with("split.")) entries.push_back(entry);
  }
  return entries;
}

}  // namespace colonnade
