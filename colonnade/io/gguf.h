// A model in GGUF: one file, or the shards that it was split into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/base/file.h"
#include "colonnade/io/gguf_header.h"

namespace colonnade {

/// Owns the open files. Nothing but the headers is read until read() is called; after construction
/// any number of threads may use it at once.
class GgufFile {
 public:
  /// `path` is a GGUF file, any shard of a split model, or a folder that holds one model. Throws
  /// Error as read_gguf_header does, and if shards are missing, foreign or in disorder.
  explicit GgufFile(const std::string& path);

  /// Of the first shard, which holds all of the model's.
  const GgufMetadata& metadata() const { return metadata_; }
  uint32_t version() const { return version_; }
  /// In file order, shard after shard.
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  /// nullptr if there is none.
  const GgufTensor* find(std::string_view name) const;

  /// Fills `out` with the bytes of `tensor` from `begin` on. Throws Error if they do not all belong
  /// to it, or as File does.
  void read(const GgufTensor& tensor, int64_t begin, std::span<std::byte> out) const;

  /// Of the first shard.
  const std::string& path() const { return files_.front().path(); }
  const std::vector<File>& files() const { return files_; }
  /// Bytes of all files, and bytes read from them so far.
  int64_t size_bytes() const { return total_size(files_); }
  int64_t bytes_read() const { return total_read(files_); }

 private:
  void append(File file, GgufHeader header);
  void index_tensors();

  std::vector<File> files_;  // by shard number
  uint32_t version_ = 0;
  GgufMetadata metadata_;
  std::vector<GgufTensor> tensors_;
  std::vector<uint32_t> by_name_;  // indices into tensors_, sorted by name
};

/// Entries of the whole model: nothing about how its file was split.
std::vector<GgufEntry> unsplit_metadata(const GgufFile& file);

}  // namespace colonnade
