// Group: N ranks that can talk. A group of one is the identity, so nobody asks for the size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace colonnade {

/// Collectives are called by all ranks in the same order. One thread at a time per group.
/// Collectives on bytes, as MPI has them.
class Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Element-wise sum over the ranks, wrapping around, in place.
  virtual void all_reduce(std::span<int64_t> values) = 0;
  virtual void all_reduce(std::span<uint32_t> values) = 0;
  /// `all` = the ranks' `mine`, one behind the other; every rank gives as many bytes.
  /// Throws Error unless all.size() == size() * mine.size().
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  virtual void barrier() = 0;
};

/// The group of one.
class SoloGroup final : public Group {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce(std::span<int64_t> values) override;
  void all_reduce(std::span<uint32_t> values) override;
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  void barrier() override;
};

}  // namespace colonnade
