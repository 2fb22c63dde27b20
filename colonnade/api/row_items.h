// All rows of all tensors of a model, some at a time, on several threads: what writing one anew is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "colonnade/base/range.h"

namespace colonnade {

/// A tensor to go through: `step` rows or fewer at a time.
struct RowsOfTensor {
  int64_t rows = 0;
  int64_t row_bytes = 0;  // as progress counts them
  int64_t step = 1;
};

struct RowItem {
  size_t tensor = 0;  // an index
  Range rows;
};

/// Bytes that are done, of all. May throw, which ends the work. May be empty.
using OnBytes = std::function<void(int64_t done, int64_t all)>;

/// Calls `work` once for all rows of all tensors, in order as far as threads allow, and `progress`
/// on the caller's thread (parallel_items). `threads` 0: the physical cores that the process may
/// use.
void for_row_items(const std::vector<RowsOfTensor>& tensors, int threads, const OnBytes& progress,
                   const std::function<void(const RowItem&)>& work);

}  // namespace colonnade
