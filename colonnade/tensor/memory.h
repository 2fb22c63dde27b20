// Memory: a block of device memory that frees itself, and how the CPU gets one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace colonnade {

/// Owns `bytes` at `data`; move only.
class Memory {
 public:
  using Release = void (*)(std::byte* data, int64_t bytes) noexcept;

  Memory() = default;
  Memory(std::byte* data, int64_t bytes, Release release)
      : data_(data), bytes_(bytes), release_(release) {}
  Memory(Memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        release_(other.release_) {}
  Memory& operator=(Memory&& other) noexcept {
    if (this != &other) {
      reset();
      data_ = std::exchange(other.data_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
      release_ = other.release_;
    }
    return *this;
  }
  ~Memory() { reset(); }

  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  void reset() noexcept {
    if (data_ != nullptr) release_(data_, bytes_);
    data_ = nullptr;
  }

  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  Release release_ = nullptr;
};

/// Zeroed memory, aligned to 64 bytes, not touched yet (its pages go where the first writer runs).
/// From 2 MiB on it is aligned to 2 MiB and huge pages are asked for. Throws Error when there is
/// none left, with the size asked for.
Memory allocate_host_memory(int64_t bytes);

}  // namespace colonnade
