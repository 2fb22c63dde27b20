// A file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace colonnade {

/// Written beside its place under another name; commit() moves it there. Without commit() nothing
/// is left. write_at may be called by any number of threads at once.
class NewFile {
 public:
  /// Throws Error if it cannot be created, or if `path` is a folder.
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& path() const { return path_; }

  /// Makes the file `bytes` long and takes that much of the disk, where the file system can. Throws
  /// Error if there is no room.
  void reserve(int64_t bytes);

  /// At the end, or at `offset`. Throws Error if the system fails.
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text) { append(std::as_bytes(std::span(text))); }
  void write_at(int64_t offset, std::span<const std::byte> bytes) { write(bytes, offset); }
  void write_at(int64_t offset, std::string_view text);

  /// Throws Error if the system fails. The last call.
  void commit();

 private:
  void write(std::span<const std::byte> bytes, int64_t offset);

  std::string path_;
  std::string partial_path_;
  int fd_ = -1;
  int64_t size_ = 0;
};

}  // namespace colonnade
