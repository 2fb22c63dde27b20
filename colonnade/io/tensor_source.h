// TensorSource: the tensors of a model under their canonical names, whatever file holds them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/base/range.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

/// One tensor: a matrix [rows, cols], or a vector (one row).
struct TensorEntry {
  std::string name;  // as GGUF names it: "blk.0.attn_q.weight"
  WeightFormat format = WeightFormat::f32;
  int64_t rows = 1;
  int64_t cols = 0;
  int64_t file_bytes = 0;
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

/// Any number of threads may read at once.
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
};

}  // namespace colonnade
