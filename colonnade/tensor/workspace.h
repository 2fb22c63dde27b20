// Workspace: the memory of a step's tensors, handed out from free lists.
#pragma once

#include <cstdint>

#include "colonnade/tensor/tensor.h"

namespace colonnade {

class Device;
class StoragePool;

/// A step that asks for the same sizes in the same order as the one before gets the same blocks and
/// allocates nothing. A block that was dropped is handed out again only behind the next meeting of
/// the device's workers: until then one of them may still read it. Not thread-safe: one per stream.
/// Tensors may outlive it.
class Workspace {
 public:
  explicit Workspace(Device& device);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Elements are not initialised.
  Tensor tensor(const Shape& shape, DType dtype = DType::f32);

  /// Blocks got from the device so far.
  int64_t allocations() const;
  /// Bytes held, in use or free.
  int64_t bytes() const;

 private:
  StoragePool* pool_;
};

}  // namespace colonnade
