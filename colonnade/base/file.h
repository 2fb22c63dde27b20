// A file opened for reading.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace colonnade {

/// Which file on this machine, whatever path led to it.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Owns a file descriptor. Reads by position (pread), never maps: pages of a mapped file would
/// count as this process's memory. read_at and bytes_read may be called by any number of threads at
/// once; moving may not.
class File {
 public:
  /// Opens the regular file at `path`. Throws Error if there is none, if it is a folder, or if it
  /// may not be read.
  explicit File(std::string path);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;

  /// Fills `out` with the bytes at [offset, offset + out.size()). Throws Error if they do not all
  /// lie inside the file, if the file has become shorter since it was opened, or if the system
  /// fails.
  void read_at(int64_t offset, std::span<std::byte> out) const;

  const std::string& path() const { return path_; }
  /// Bytes of the file when it was opened.
  int64_t size() const { return size_; }
  int fd() const { return fd_; }
  FileIdentity identity() const { return identity_; }
  /// Bytes that read_at has delivered so far, and how long threads were in it, all of them
  /// together.
  int64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  double read_s() const { return 1e-9 * static_cast<double>(read_ns()); }

 private:
  void close() noexcept;
  int64_t read_ns() const { return read_ns_.load(std::memory_order_relaxed); }

  std::string path_;
  int fd_ = -1;
  int64_t size_ = 0;
  FileIdentity identity_;
  mutable std::atomic<int64_t> bytes_read_{0};  // relaxed: a counter, it orders nothing
  mutable std::atomic<int64_t> read_ns_{0};     // the same
};

/// Bytes of all of them, bytes read from them so far, and how long threads read.
int64_t total_size(std::span<const File> files);
int64_t total_read(std::span<const File> files);
double total_read_s(std::span<const File> files);

}  // namespace colonnade
