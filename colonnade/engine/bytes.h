// ByteWriter and ByteReader: plain values one behind the other, as ranks tell them each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "colonnade/base/error.h"

namespace colonnade {

/// Ranks run the same build on machines of the same byte order: values travel as they stand in
/// memory.
class ByteWriter {
 public:
  /// Appends to `out`.
  explicit ByteWriter(std::vector<std::byte>& out) : out_(out) {}

  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  /// Their number, then the values.
  template <typename T>
  void put_all(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(static_cast<uint64_t>(values.size()));
    append(values.data(), values.size_bytes());
  }

 private:
  void append(const void* from, size_t bytes) {
    const auto* first = static_cast<const std::byte*>(from);
    if (bytes > 0) out_.insert(out_.end(), first, first + bytes);
  }

  std::vector<std::byte>& out_;
};

/// Throws Error when the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> in) : in_(in) {}

  template <typename T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, take(sizeof value), sizeof value);
  }
  template <typename T>
  void get_all(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    uint64_t count = 0;
    get(count);
    CN_CHECK(count <= in_.size() / sizeof(T), "message of a rank: expected ", count,
             " values, got ", in_.size(), " bytes");
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), take(count * sizeof(T)), count * sizeof(T));
  }

  std::span<const std::byte> rest() const { return in_; }

 private:
  const std::byte* take(size_t bytes) {
    CN_CHECK(bytes <= in_.size(), "message of a rank: expected ", bytes, " bytes more, got ",
             in_.size());
    const std::byte* first = in_.data();
    in_ = in_.subspan(bytes);
    return first;
  }

  std::span<const std::byte> in_;
};

}  // namespace colonnade
