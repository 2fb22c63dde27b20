#include "colonnade/engine/page_pool.h"

#include <algorithm>

namespace colonnade {

void PagePool::reserve(int64_t pages) {
  const int64_t more = pages - static_cast<int64_t>(free_.size());
  if (more <= 0) return;
  const int64_t bytes = (layout_.page_bytes() + 63) / 64 * 64;
  slabs_.push_back(device_.allocate(std::max<int64_t>(bytes, 64) * more));
  free_.reserve(pages_.size() + static_cast<size_t>(more));
  for (int64_t i = 0; i < more; ++i) {
    free_.push_back(static_cast<int32_t>(pages_.size()));
    pages_.push_back(slabs_.back().data() + i * bytes);
  }
}

void PagePool::reach(int64_t count) {
  constexpr int64_t kFewest = 16;  // a slab's
  const int64_t missing = count - static_cast<int64_t>(pages_.size());
  if (missing > 0) reserve(static_cast<int64_t>(free_.size()) + std::max(missing, kFewest));
}

int32_t PagePool::take() {
  if (free_.empty()) reserve(1);
  const int32_t page = free_.back();
  free_.pop_back();
  return page;
}

}  // namespace colonnade
