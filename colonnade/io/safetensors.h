// A model in safetensors: one file, or the files that an index names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/base/file.h"
#include "colonnade/io/safetensors_header.h"
#include "colonnade/io/safetensors_index.h"

namespace colonnade {

/// Owns the open files. Nothing but the headers is read until read() is called; after construction
/// any number of threads may use it at once.
class SafetensorsFiles {
 public:
  /// `path` is a safetensors file, an index, or a folder with one of them. Files that the index
  /// does not name are ignored. Throws Error as read_safetensors_header does, and if a file that
  /// the index names is missing, or two files hold one tensor.
  explicit SafetensorsFiles(const std::string& path);

  /// File after file, in the order of their names, and in each in the order of their data.
  const std::vector<SafetensorsTensor>& tensors() const { return tensors_; }
  /// nullptr if there is none.
  const SafetensorsTensor* find(std::string_view name) const;
  /// What is not as it should be, but hinders nothing: an index that is older than its files.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Fills `out` with the bytes of `tensor` from `begin` on. Throws Error if they do not all belong
  /// to it, or as File does.
  void read(const SafetensorsTensor& tensor, int64_t begin, std::span<std::byte> out) const;

  /// Of the index, or of the one file.
  const std::string& path() const { return path_; }
  const std::vector<File>& files() const { return files_; }
  /// Bytes of all files, and bytes read from them so far.
  int64_t size_bytes() const { return total_size(files_); }
  int64_t bytes_read() const { return total_read(files_); }

 private:
  void open_all(const SafetensorsIndex& index);
  void append(File file);
  void index_tensors();
  void compare(const SafetensorsIndex& index);
  const std::string& file_of(const SafetensorsTensor& tensor) const;

  std::string path_;
  std::vector<File> files_;
  std::vector<SafetensorsTensor> tensors_;
  std::vector<uint32_t> by_name_;  // indices into tensors_, sorted by name
  std::vector<std::string> warnings_;
};

}  // namespace colonnade
