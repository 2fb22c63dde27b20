#include "colonnade/tensor/workspace.h"

#include <algorithm>

#include "colonnade/tensor/device.h"
#include "colonnade/tensor/storage_pool.h"

namespace colonnade {
namespace {

constexpr int64_t kSmallest = 64;

/// Eight sizes per power of two: a block is at most 1/8 larger than asked for.
int64_t block_size(int64_t bytes) {
  int64_t step = kSmallest;
  while (step * 16 <= bytes) step *= 2;
  return std::max((bytes + step - 1) / step * step, kSmallest);
}

}  // namespace

StorageRef StoragePool::take(int64_t bytes) {
  const int64_t size = block_size(bytes);
  auto best = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const Storage& block = **it;
    const bool fits = block.bytes() >= size && block.bytes() <= 2 * size;
    if (!fits || block.freed_epoch_ >= device_.epoch()) continue;
    // Ties go to the older block, so that equal steps get equal addresses.
    const bool better = best == free_.end() || block.bytes() < (*best)->bytes() ||
                        (block.bytes() == (*best)->bytes() && block.number_ < (*best)->number_);
    if (better) best = it;
  }
  if (best == free_.end()) return allocate(size);
  StorageRef block(*best);
  *best = free_.back();
  free_.pop_back();
  return block;
}

StorageRef StoragePool::allocate(int64_t bytes) {
  blocks_.push_back(std::make_unique<Storage>(device_.allocate(bytes), this));
  Storage* block = blocks_.back().get();
  block->number_ = allocations();
  free_.reserve(blocks_.size());  // give_back must not allocate
  bytes_ += bytes;
  return StorageRef(block);
}

void StoragePool::give_back(Storage* block) noexcept {
  if (!abandoned_) block->freed_epoch_ = device_.epoch();
  free_.push_back(block);
  if (abandoned_ && free_.size() == blocks_.size()) std::default_delete<StoragePool>{}(this);
}

void StoragePool::abandon() noexcept {
  abandoned_ = true;
  if (free_.size() == blocks_.size()) std::default_delete<StoragePool>{}(this);
}

Workspace::Workspace(Device& device) : pool_(std::make_unique<StoragePool>(device).release()) {}
Workspace::~Workspace() { pool_->abandon(); }

Tensor Workspace::tensor(const Shape& shape, DType dtype) {
  return {pool_->take(shape.elements() * size_of(dtype)), dtype, shape};
}

int64_t Workspace::allocations() const { return pool_->allocations(); }
int64_t Workspace::bytes() const { return pool_->bytes(); }

}  // namespace colonnade
