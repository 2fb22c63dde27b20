// PagePool: the pages of the KV cache, handed out by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "colonnade/tensor/device.h"
#include "colonnade/tensor/kv_layout.h"

namespace colonnade {

/// Memory is got from the device when a page is first needed, in slabs, and kept. One thread at a
/// time.
class PagePool {
 public:
  PagePool(Device& device, const KvLayout& layout) : device_(device), layout_(layout) {}

  const KvLayout& layout() const { return layout_; }
  /// So many pages can be taken without asking the device. Throws Error if it has no memory.
  void reserve(int64_t pages);
  /// The pages below `count`, whoever takes them, have memory here. Throws Error if the device has
  /// none.
  void reach(int64_t count);
  /// A free page's number. Throws Error if the device has no memory.
  int32_t take();
  void give_back(int32_t page) { free_.push_back(page); }
  std::byte* at(int32_t page) const { return pages_[static_cast<size_t>(page)]; }

 private:
  Device& device_;
  KvLayout layout_;
  std::vector<Memory> slabs_;
  std::vector<std::byte*> pages_;  // by number
  std::vector<int32_t> free_;
};

}  // namespace colonnade
