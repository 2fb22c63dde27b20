// Tensor: an element type and a shape over shared storage. Copying one copies a reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "colonnade/base/dtype.h"
#include "colonnade/base/error.h"
#include "colonnade/tensor/memory.h"
#include "colonnade/tensor/shape.h"

namespace colonnade {

class Device;
class StoragePool;

/// Memory with a count of references. With the last one it goes back to its pool, or is freed if it
/// has none. Not thread-safe: the tensors of one stream are one thread's.
class Storage {
 public:
  Storage(Memory memory, StoragePool* pool) : memory_(std::move(memory)), pool_(pool) {}

  std::byte* data() const { return memory_.data(); }
  int64_t bytes() const { return memory_.bytes(); }

 private:
  friend class StorageRef;
  friend class StoragePool;
  void retain() noexcept { ++references_; }
  void release() noexcept;

  Memory memory_;
  StoragePool* pool_;
  int references_ = 0;
  // The pool's:
  int64_t freed_epoch_ = 0;  // the device's epoch when the last reference went
  int64_t number_ = 0;       // in order of allocation
};

/// A counted reference to Storage.
class StorageRef {
 public:
  StorageRef() = default;
  explicit StorageRef(Storage* storage) : storage_(storage) {
    if (storage_ != nullptr) storage_->retain();
  }
  StorageRef(const StorageRef& other) : StorageRef(other.storage_) {}
  StorageRef(StorageRef&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageRef() {
    if (storage_ != nullptr) storage_->release();
  }

  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }
  bool unique() const { return storage_ != nullptr && storage_->references_ == 1; }

 private:
  Storage* storage_ = nullptr;
};

class Tensor {
 public:
  /// No tensor: false in a condition.
  Tensor() = default;
  /// The first elements of `storage`. Throws Error if it is too small.
  Tensor(StorageRef storage, DType dtype, Shape shape);

  explicit operator bool() const { return static_cast<bool>(storage_); }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t rows() const { return shape_.rows(); }
  int64_t cols() const { return shape_.cols(); }
  int64_t elements() const { return shape_.elements(); }

  /// The elements, row-major. Sharing as a shared_ptr does: a const Tensor does not make them
  /// const. CN_ASSERT on another element type. Host reads need Device::join before.
  float* f32() const { return static_cast<float*>(data_of(DType::f32)); }
  int32_t* i32() const { return static_cast<int32_t*>(data_of(DType::i32)); }
  int64_t* i64() const { return static_cast<int64_t*>(data_of(DType::i64)); }
  uint8_t* u8() const { return static_cast<uint8_t*>(data_of(DType::u8)); }

  /// This is the only reference to the storage: an op may write over it.
  bool unique() const { return storage_.unique(); }

 private:
  void* data_of(DType dtype) const {
    CN_ASSERT(storage_ && dtype == dtype_, "tensor holds ", name_of(dtype_), ", asked for ",
              name_of(dtype));
    return storage_->data();
  }

  StorageRef storage_;
  DType dtype_ = DType::f32;
  Shape shape_;
};

/// A tensor with storage of its own, outside any workspace: parameters, tables. Zeroed.
Tensor make_tensor(Device& device, const Shape& shape, DType dtype = DType::f32);

}  // namespace colonnade
