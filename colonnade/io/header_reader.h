// Reads the fields of a binary header one after the other, little-endian, never past the end of the
// file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "colonnade/base/error.h"
#include "colonnade/base/file.h"

namespace colonnade {

/// Reads through a window of at most 64 KiB. Every error says the file, what is being read
/// (`set_subject`), the field, and the offset.
class HeaderReader {
 public:
  explicit HeaderReader(const File& file);

  /// What the following fields belong to, such as "tensor 3"; empty for the file itself.
  void set_subject(std::string subject) { subject_ = std::move(subject); }

  /// Offset of the next byte, and the bytes from there to the end of the file.
  int64_t position() const { return position_; }
  uint64_t left() const { return static_cast<uint64_t>(file_.size() - position_); }

  /// The next little-endian value. Throws Error naming `field` if the file ends before it does.
  template <typename T>
  T read(const char* field) {
    T value;
    read_bytes(field, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  void read_bytes(const char* field, std::span<std::byte> out);
  /// Goes to `position`, which is inside the file or at its end.
  void seek(int64_t position);
  void skip(uint64_t bytes) { seek(position_ + static_cast<int64_t>(bytes)); }

  /// The longest header: that of a vocabulary of 262 thousand tokens takes 11 MB.
  static constexpr int64_t kMostBytes = 100'000'000;

  /// Reads a count of things that take at least `smallest` bytes each. Throws Error if they cannot
  /// all be in the file, or make the header longer than kMostBytes.
  template <typename T>
  T read_count(const char* field, uint64_t smallest) {
    const T count = read<T>(field);
    check(count <= left() / smallest, field, sizeof(T), "at most ", left() / smallest, " (", left(),
          " bytes are left in the file)", ", got ", count);
    const auto room = static_cast<uint64_t>(std::max<int64_t>(0, kMostBytes - position_));
    check(count <= room / smallest, field, sizeof(T), "at most ", room / smallest,
          " (a header has at most ", kMostBytes, " bytes)", ", got ", count);
    return count;
  }

  /// Throws Error unless `ok`; `field` was the last `width` bytes read.
  template <typename... Args>
  void check(bool ok, const char* field, size_t width, const Args&... expected) const {
    if (!ok) fail(field, position_ - static_cast<int64_t>(width), concat("expected ", expected...));
  }

  /// Throws Error about `field`, which stands at `offset`.
  [[noreturn]] void fail(const char* field, int64_t offset, const std::string& problem) const;

 private:
  const File& file_;
  std::string subject_;
  int64_t position_ = 0;
  std::vector<std::byte> window_;
  int64_t window_begin_ = 0;
  int64_t window_end_ = 0;
};

}  // namespace colonnade
