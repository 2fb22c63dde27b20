// GroupedRows: the one form in which the rows of every grouped format reach the packer, whatever
// file they came from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/tensor/weight_format.h"

namespace colonnade {

/// What a grouped format's weights mean.
///   one level   w = scale * (code - zero) + offset
///   two levels  w = (scale * sub_scale) * (code - zero) - (offset * sub_offset)
struct GroupedFormat {
  int bits = 0;         // codes are 0 .. 2^bits - 1
  int zero = 0;         // the code that means 0, before the offset
  int group = 0;        // elements that share a scale (one level) or a sub-scale (two levels)
  int super = 0;        // elements that share a scale of two levels; 0: one level
  bool offset = false;  // the format has offsets
};

/// Source: ggml-common.h, block_q4_0 ... block_q6_K. 8-bit codes are the file's s8 with the sign
/// bit flipped, so that they count from 0 like all others.
constexpr GroupedFormat grouped_format(WeightFormat format) {
  switch (format) {
    case WeightFormat::q4_0:
      return {.bits = 4, .zero = 8, .group = 32};
    case WeightFormat::q4_1:
      return {.bits = 4, .group = 32, .offset = true};
    case WeightFormat::q5_0:
      return {.bits = 5, .zero = 16, .group = 32};
    case WeightFormat::q5_1:
      return {.bits = 5, .group = 32, .offset = true};
    case WeightFormat::q8_0:
      return {.bits = 8, .zero = 128, .group = 32};
    case WeightFormat::q4_k:
      return {.bits = 4, .group = 32, .super = 256, .offset = true};
    case WeightFormat::q5_k:
      return {.bits = 5, .group = 32, .super = 256, .offset = true};
    case WeightFormat::q6_k:
      return {.bits = 6, .zero = 32, .group = 16, .super = 256};
    case WeightFormat::f32:
    case WeightFormat::bf16:
    case WeightFormat::f16:
      break;
  }
  return {};
}

/// A block of rows, each the columns [begin, begin + cols) of a whole row. Groups and super-blocks
/// are counted from column 0 of the whole row; a slice may begin and end inside one and then has
/// its scale too. Scales keep the file's precision.
struct GroupedRows {
  WeightFormat format = WeightFormat::q4_0;
  int64_t rows = 0;
  int64_t begin = 0;
  int64_t cols = 0;
  std::vector<uint8_t> codes;        // [rows, cols]
  std::vector<uint16_t> scales;      // f16 [rows, groups()], two levels: [rows, supers()]
  std::vector<uint16_t> offsets;     // f16, shaped as scales; empty if the format has none
  std::vector<int8_t> sub_scales;    // two levels: [rows, groups()]
  std::vector<uint8_t> sub_offsets;  // two levels with offsets: [rows, groups()]

  /// Takes this shape. Contents are unspecified; memory is kept for the next use.
  void reshape(WeightFormat new_format, int64_t new_rows, int64_t new_begin, int64_t new_cols);

  /// Groups and super-blocks that the columns touch (supers() is 0 for one level).
  int64_t groups() const { return touched(grouped_format(format).group); }
  int64_t supers() const { return touched(grouped_format(format).super); }
  /// Which of them column `col` of the slice (0 <= col < cols) lies in.
  int64_t group_of(int64_t col) const { return place(col, grouped_format(format).group); }
  int64_t super_of(int64_t col) const { return place(col, grouped_format(format).super); }

 private:
  int64_t touched(int64_t size) const {
    return size == 0 || cols == 0 ? 0 : place(cols - 1, size) + 1;
  }
  int64_t place(int64_t col, int64_t size) const { return (begin + col) / size - begin / size; }
};

/// Row `row` as numbers, out [cols] f32: fma(scale, code - zero, offset), the scale of two levels
/// being the product, exact in f32. Source: docs/numerics.md section 3, tier f32.
void dequantize_row(const GroupedRows& rows, int64_t row, std::span<float> out);

}  // namespace colonnade
