// Rows of small elements written as columns: a matrix, and a table of 16 rows that is read by
// columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "colonnade/base/turn_square.h"
#include "colonnade/kernels/views.h"

namespace colonnade {

constexpr int64_t kTurnedLine = 64;  // of the caches

/// Memory that is new has just been cleared by the system and lies in the last cache: lines are
/// asked for so far before they are written. Measured: packing BF16 then takes 0.07 s of CPU per
/// GB, not 0.10, and 1 to 8 KiB are alike.
constexpr int64_t kWriteAhead = 4096;

inline void prefetch_to_write(void* line) {
  __builtin_prefetch(static_cast<std::byte*>(line) + kWriteAhead, 1);
}

/// to[i][r] = from[r][i] for rows of elements T; strides in bytes.
template <typename T>
struct Turn {
  const std::byte* from;
  int64_t from_stride;
  std::byte* to;
  int64_t to_stride;

  /// Columns of a source line at a time, all rows of them: each line of either side is met once,
  /// though the rows stand a power of two apart and want the same few places of the first cache.
  void run(int64_t rows, int64_t cols) const {
    for (int64_t i = 0; i < cols; i += kTurnedLine / kBytes) {
      const int64_t line_end = std::min(cols, i + kTurnedLine / kBytes);
      int64_t r = 0;
      if constexpr (kBytes == 4) r = large_squares(rows, i, line_end);
      for (; r < rows; r += kSide) squares(r, std::min(rows, r + kSide), i, line_end);
    }
  }

 private:
  static constexpr int64_t kBytes = sizeof(T);
  static constexpr int64_t kSide = kSquareSide<T>;

  /// Returns the first row that is left.
  int64_t large_squares(int64_t rows, int64_t i, int64_t col_end) const {
    if (col_end - i < kTurnedLine / kBytes) return 0;
    const int64_t whole = rows / 8 * 8;
    for (int64_t r = 0; r < whole; r += 8) {
      if (r % 16 == 0) {  // 64 bytes of each target line
        for (int64_t c = i; c < col_end; ++c) prefetch_to_write(target(c, r));
      }
      turn_square_of_8(source(r, i), from_stride, target(i, r), to_stride);
      turn_square_of_8(source(r, i + 8), from_stride, target(i + 8, r), to_stride);
    }
    return whole;
  }

  void squares(int64_t r, int64_t row_end, int64_t i, int64_t col_end) const {
    if (row_end - r == kSide) {
      for (; i + kSide <= col_end; i += kSide) {
        turn_square<T>(source(r, i), from_stride, target(i, r), to_stride);
      }
    }
    for (; i < col_end; ++i) {
      for (int64_t row = r; row < row_end; ++row) {
        std::memcpy(target(i, row), source(row, i), sizeof(T));
      }
    }
  }
  const std::byte* source(int64_t r, int64_t i) const {
    return from + r * from_stride + i * kBytes;
  }
  std::byte* target(int64_t i, int64_t r) const { return to + i * to_stride + r * kBytes; }
};

/// A table [16, per_row] of elements of `width` bytes, read by columns. The last rows are missing
/// but for `count`. Columns are turned 16 at a time, so that rows are read by lines.
class Columns {
 public:
  Columns(const void* table, int64_t width, int64_t per_row, int64_t count)
      : table_(static_cast<const std::byte*>(table)),
        width_(width),
        per_row_(per_row),
        count_(count) {}

  /// Copies column `index`, zero for rows that are missing, to `to` and returns what is behind it.
  uint8_t* put(int64_t index, uint8_t* to) {
    const std::byte* column = at(index);
    switch (width_) {  // sizes that the compiler knows: no call for a few bytes
      case 1:
        std::memcpy(to, column, kernels::kLanes);
        break;
      case 2:
        std::memcpy(to, column, 2 * kernels::kLanes);
        break;
      default:
        std::memcpy(to, column, 4 * kernels::kLanes);
    }
    return to + kernels::kLanes * width_;
  }

  /// [16], valid until the next call.
  const std::byte* at(int64_t index) {
    if (index < begin_ || index >= begin_ + kWindow) turn(index);
    return columns_ + (index - begin_) * kernels::kLanes * width_;
  }

 private:
  static constexpr int64_t kWindow = 16;

  /// Not inline: seldom done, and the registers that it wants would be saved by each look.
  [[gnu::noinline]] void turn(int64_t index) {
    begin_ = index;
    if (count_ < kernels::kLanes) std::memset(columns_, 0, sizeof columns_);
    switch (width_) {
      case 1:
        return turn_columns<uint8_t>();
      case 2:
        return turn_columns<uint16_t>();
      default:
        return turn_columns<uint32_t>();
    }
  }
  template <typename T>
  void turn_columns() {
    const Turn<T> rows{table_ + begin_ * width_, per_row_ * width_, columns_,
                       kernels::kLanes * width_};
    rows.run(count_, std::min(kWindow, per_row_ - begin_));
  }

  const std::byte* table_;
  int64_t width_;
  int64_t per_row_;
  int64_t count_;
  int64_t begin_ = -kWindow;
  alignas(kTurnedLine) std::byte columns_[kWindow * kernels::kLanes * sizeof(uint32_t)];
};

}  // namespace colonnade
