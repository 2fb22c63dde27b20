// WeightArena: memory for packed weights, one behind the other in order of loading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "colonnade/tensor/memory.h"

namespace colonnade {

/// A part of a chunk that lives as long as one of its parts.
struct ArenaBlock {
  std::shared_ptr<const Memory> chunk;
  std::byte* data = nullptr;  // [bytes] zeroed, on a line pair
};

/// A decoder layer of a small model is a few matrices of some hundred KB. In huge pages and next to
/// one another they cost few TLB misses, and the prefetcher runs from one into the next. Not
/// thread-safe.
class WeightArena {
 public:
  /// Throws Error when there is no memory left.
  ArenaBlock allocate(int64_t bytes);

 private:
  std::shared_ptr<const Memory> chunk_;
  int64_t used_ = 0;
};

}  // namespace colonnade
