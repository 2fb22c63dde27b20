#include "colonnade/tensor/tensor.h"

#include <memory>

#include "colonnade/tensor/device.h"
#include "colonnade/tensor/storage_pool.h"

namespace colonnade {

void Storage::release() noexcept {
  if (--references_ > 0) return;
  if (pool_ != nullptr) {
    pool_->give_back(this);
  } else {
    std::default_delete<Storage>{}(this);
  }
}

Tensor::Tensor(StorageRef storage, DType dtype, Shape shape)
    : storage_(std::move(storage)), dtype_(dtype), shape_(shape) {
  const int64_t needed = shape_.elements() * size_of(dtype);
  CN_CHECK(storage_ && storage_->bytes() >= needed, "tensor ", to_string(shape_), " ",
           name_of(dtype), ": expected storage of ", needed, " bytes, got ",
           storage_ ? storage_->bytes() : 0);
}

Tensor make_tensor(Device& device, const Shape& shape, DType dtype) {
  Memory memory = device.allocate(shape.elements() * size_of(dtype));
  return {StorageRef(std::make_unique<Storage>(std::move(memory), nullptr).release()), dtype,
          shape};
}

}  // namespace colonnade
