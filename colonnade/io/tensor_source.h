// TensorSource: the tensors of a model under their canonical names, whatever file holds them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/base/range.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

/// Which rows of a tensor in a file are the rows of a matrix: q, k and v of a fused matrix, one
/// expert of many. Of a vector, which elements.
struct RowMap {
  int64_t first = 0;   // the file's row for row 0
  int64_t block = 0;   // rows that stand together in the file; 0: all of them
  int64_t stride = 0;  // the file's rows from one block to the next

  constexpr int64_t operator()(int64_t row) const {
    return block == 0 ? first + row : first + row / block * stride + row % block;
  }
  /// Rows from `row` on that stand one behind the other in the file.
  constexpr int64_t together(int64_t row) const {
    return block == 0 ? INT64_MAX : block - row % block;
  }
};

/// A matrix [rows, cols] or a vector (one row): a whole tensor of a file, or a part of one.
struct TensorEntry {
  std::string name;  // as GGUF names it: "blk.0.attn_q.weight"
  WeightFormat format = WeightFormat::f32;
  int64_t rows = 1;
  int64_t cols = 0;
  int64_t file_bytes = 0;      // of the part
  std::string file_name = {};  // the tensor in the file
  RowMap map = {};
  bool transposed = false;  // the file holds [cols, rows]; dense formats only
  int64_t first_col = 0;    // transposed: the file's row for column 0
  float add = 0;            // to every value, in f32 (norm weights that are kept as w - 1)
};

/// A rank's part of a matrix, and how its rows stand in the file.
struct MatrixSlice {
  Range rows;
  Range cols;
  /// > 0: within each head of so many rows the file holds row 2 i + j where the model means row i +
  /// j * head / 2: rotated pairs stand side by side.
  int64_t interleaved_head = 0;
};

/// The file's row for the model's row (MatrixSlice::interleaved_head).
constexpr int64_t interleaved_row(int64_t row, int64_t head) {
  const int64_t in_head = row % head;
  const int64_t half = head / 2;
  return row - in_head + (in_head < half ? 2 * in_head : 2 * (in_head - half) + 1);
}

/// The file's row for the model's row `row` of the slice.
constexpr int64_t file_row(const TensorEntry& entry, const MatrixSlice& slice, int64_t row) {
  const int64_t at = slice.rows.begin + row;
  return entry.map(slice.interleaved_head > 0 ? interleaved_row(at, slice.interleaved_head) : at);
}

/// Rows of the slice from `row` on that stand one behind the other in the file.
constexpr int64_t rows_together(const TensorEntry& entry, const MatrixSlice& slice, int64_t row) {
  if (slice.interleaved_head > 0) return 1;
  return std::min(entry.map.together(slice.rows.begin + row), slice.rows.size() - row);
}

/// The entry's values of `all`, those of its tensor in the file: what TensorSource::values gives.
std::vector<float> values_of(const TensorEntry& entry, const std::vector<float>& all);

/// A source that a file is behind lists the file's tensors as they are (name and file_name are the
/// same; of more than two dimensions the outer ones are rows), and reads any entry whose file_name
/// it holds. Any number of threads may read at once.
class TensorSource {
 public:
  virtual ~TensorSource() = default;

  virtual const std::vector<TensorEntry>& entries() const = 0;
  /// nullptr if there is none.
  virtual const TensorEntry* find(std::string_view name) const = 0;
  /// Reads the slice row by row; must outlive the source's use. Throws Error if it leaves the
  /// tensor.
  virtual RowSource rows(const TensorEntry& entry, const MatrixSlice& slice) const = 0;
  /// A whole dense tensor as f32, row-major. Throws Error if it is grouped.
  virtual std::vector<float> values(const TensorEntry& entry) const = 0;

  /// For messages: the path of the file, the index or the folder.
  virtual std::string place() const { return "model"; }
  /// For messages: what the files call the tensor `name`, or would call it.
  virtual std::string name_in_files(std::string_view name) const { return std::string(name); }
};

}  // namespace colonnade
