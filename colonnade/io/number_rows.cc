#include "colonnade/io/number_rows.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "colonnade/base/half.h"
#include "colonnade/tensor/grouped_rows.h"

namespace colonnade {
namespace {

void read_grouped_numbers(const RowSource& source, Range rows, std::span<float> out) {
  GroupedRows grouped;
  source.grouped(rows, grouped);
  const auto cols = static_cast<size_t>(grouped.cols);
  for (int64_t row = 0; row < grouped.rows; ++row)
    dequantize_row(grouped, row, out.subspan(static_cast<size_t>(row) * cols, cols));
}

}  // namespace

void read_numbers(const RowSource& source, WeightFormat format, Range rows, std::span<float> out) {
  if (is_grouped(format)) return read_grouped_numbers(source, rows, out);
  if (format == WeightFormat::f32) return source.dense(rows, std::as_writable_bytes(out).data());
  std::vector<uint16_t> halves(out.size());
  source.dense(rows, std::as_writable_bytes(std::span(halves)).data());
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = format == WeightFormat::f16 ? f16_to_f32(halves[i]) : bf16_to_f32(halves[i]);
}

}  // namespace colonnade
