// A file that appears whole or not at all.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace colonnade::cli {

/// Written beside its place under another name; commit() moves it there. Without commit() nothing
/// is left.
class NewFile {
 public:
  /// Throws Error if it cannot be created, or if `path` is a folder.
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// At the end, or at `offset`. Throws Error if the system fails.
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text) { append(std::as_bytes(std::span(text))); }
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

}  // namespace colonnade::cli
