// StoragePool: the free lists behind a Workspace.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "colonnade/tensor/tensor.h"

namespace colonnade {

class Device;

/// Lives until its workspace has gone and its last block has come back. Not thread-safe.
class StoragePool {
 public:
  explicit StoragePool(Device& device) : device_(device) {}

  /// The smallest free block that fits, no more than twice as large, and that no worker can still
  /// be reading; else a new one.
  StorageRef take(int64_t bytes);
  /// A block's last reference has gone.
  void give_back(Storage* block) noexcept;
  /// The workspace has gone.
  void abandon() noexcept;

  int64_t allocations() const { return static_cast<int64_t>(blocks_.size()); }
  int64_t bytes() const { return bytes_; }

 private:
  StorageRef allocate(int64_t bytes);

  Device& device_;
  std::vector<std::unique_ptr<Storage>> blocks_;  // all
  std::vector<Storage*> free_;
  int64_t bytes_ = 0;
  bool abandoned_ = false;
};

}  // namespace colonnade
