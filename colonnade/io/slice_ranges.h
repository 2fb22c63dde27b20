// Where the rows of a slice stand in a file: as few ranges as there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "colonnade/base/range.h"
#include "colonnade/io/tensor_source.h"

namespace colonnade {

/// A part of [0, size).
constexpr bool inside(Range range, int64_t size) {
  return range.begin >= 0 && range.begin <= range.end && range.end <= size;
}

/// Calls read(rows, file_rows) for every stretch of `rows` of the slice that stands together in the
/// file.
template <typename Read>
void for_each_stretch(const TensorEntry& entry, const MatrixSlice& slice, Range rows,
                      const Read& read) {
  for (int64_t row = rows.begin; row < rows.end;) {
    const int64_t count = std::min(rows_together(entry, slice, row), rows.end - row);
    const int64_t at = file_row(entry, slice, row);
    read(Range{row, row + count}, Range{at, at + count});
    row += count;
  }
}

/// Reads the bytes `part` of each of the rows `rows`, which have row_bytes each, one row behind the
/// other, by read(begin, bytes): whole rows are one range, parts of them one each.
template <typename Read>
void read_row_parts(int64_t row_bytes, Range rows, Range part, std::byte* out, const Read& read) {
  if (rows.empty() || part.empty()) return;
  const auto size = static_cast<size_t>(part.size());
  if (part.size() == row_bytes) {
    read(rows.begin * row_bytes, std::span(out, static_cast<size_t>(rows.size()) * size));
    return;
  }
  for (int64_t row = rows.begin; row < rows.end; ++row, out += part.size()) {
    read(row * row_bytes + part.begin, std::span(out, size));
  }
}

}  // namespace colonnade
