// GroupedRows: the one form in which the rows of every grouped format reach the packer, whatever
// file they came from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/tensor/grouped_format.h"

namespace colonnade {

/// How codes stand in a file's blocks.
enum class CodeOrder : uint8_t {
  flipped,    // a byte each, its sign bit flipped
  halves_32,  // of 32 in turn: code i is the lower half of byte i, code 16 + i the upper one
  halves_64   // of 64 in turn: likewise code 32 + i
};

/// Codes left as a file has them, where taking them apart would be one more pass over them.
struct RawCodes {
  CodeOrder order = CodeOrder::flipped;
  int block_codes = 0;
  int block_bytes = 0;
  int codes_at = 0;               // where in a block they begin
  int64_t row_bytes = 0;          // from row to row
  const uint8_t* data = nullptr;  // the block that column 0 of row 0 begins; nullptr: none
};

/// A block of rows, each the columns [begin, begin + cols) of a whole row. Groups and super-blocks
/// are counted from column 0 of the whole row; a slice may begin and end inside one and then has
/// its scale too. Scales keep the file's precision: their bytes are the file's, scale_bytes of the
/// format's ScaleType each.
struct GroupedRows {
  WeightFormat format = WeightFormat::q4_0;
  int64_t rows = 0;
  int64_t begin = 0;
  int64_t cols = 0;
  std::vector<uint8_t> codes;        // [rows, cols]
  std::vector<uint8_t> scales;       // [rows, groups()], two levels: [rows, supers()]
  std::vector<uint8_t> offsets;      // shaped as scales; empty if the format has none
  std::vector<int8_t> sub_scales;    // two levels: [rows, groups()]
  std::vector<uint8_t> sub_offsets;  // two levels with offsets: [rows, groups()]

  /// The reader's wish: codes may come raw, in place of `codes`.
  bool takes_raw = false;
  RawCodes raw;                    // `codes` are unspecified if there are some
  std::vector<uint8_t> raw_bytes;  // where they are

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

/// Number `index` of a table of scales as f32, exact. Those of one byte are halved: see
/// grouped_format.
float scale_at(const std::vector<uint8_t>& scales, ScaleType type, int64_t index);

/// Row `row` as numbers, out [cols] f32: fma(scale, code - zero, offset), the scale of two levels
/// being the product, exact in f32. Source: docs/numerics.md section 3, tier f32.
void dequantize_row(const GroupedRows& rows, int64_t row, std::span<float> out);

}  // namespace colonnade
