#include "colonnade/io/tensor_rows.h"

#include <algorithm>
#include <memory>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/dense_values.h"
#include "colonnade/io/ggml_blocks.h"
#include "colonnade/io/slice_ranges.h"

namespace colonnade {
namespace {

/// Raw bytes that wait to be decoded: they stay in the second-level cache.
constexpr int64_t kScratchBytes = 128 << 10;

void check_slice(const GgufFile& file, const GgufTensor& tensor, const Slice& slice) {
  CN_CHECK(inside(slice.rows, tensor.rows()) && inside(slice.cols, tensor.cols()), file.path(),
           ": tensor ", quote(tensor.name), ": expected a slice of [", tensor.rows(), ", ",
           tensor.cols(), "], got rows ", slice.rows.begin, " to ", slice.rows.end, ", columns ",
           slice.cols.begin, " to ", slice.cols.end);
}

void check_kind(const GgufFile& file, const GgufTensor& tensor, bool grouped) {
  CN_CHECK(is_grouped(weight_format(tensor.type)) == grouped, file.path(), ": tensor ",
           quote(tensor.name), ": expected a ", grouped ? "grouped" : "dense", " type, got ",
           name_of(tensor.type));
}

/// Reads the blocks `blocks` of every row in `rows`, one row behind the other.
void read_blocks(const GgufFile& file, const GgufTensor& tensor, Range rows, Range blocks,
                 std::byte* out) {
  const int64_t size = info_of(tensor.type).block_bytes;
  read_row_parts(
      tensor.row_bytes(), rows, {blocks.begin * size, blocks.end * size}, out,
      [&](int64_t begin, std::span<std::byte> bytes) { file.read(tensor, begin, bytes); });
}

}  // namespace

void read_grouped(const GgufFile& file, const GgufTensor& tensor, const Slice& slice,
                  GroupedRows& out) {
  check_slice(file, tensor, slice);
  check_kind(file, tensor, true);
  const Range blocks = blocks_of(tensor.type, slice.cols);
  const int64_t part_bytes = blocks.size() * info_of(tensor.type).block_bytes;
  out.reshape(weight_format(tensor.type), slice.rows.size(), slice.cols.begin, slice.cols.size());
  if (out.rows == 0 || out.cols == 0) return;
  if (out.takes_raw && has_raw_codes(tensor.type, slice.cols)) {
    out.raw_bytes.resize(static_cast<size_t>(out.rows * part_bytes));
    read_blocks(file, tensor, slice.rows, blocks,
                reinterpret_cast<std::byte*>(out.raw_bytes.data()));
    decode_around_codes(tensor.type, out);
    return;
  }
  const int64_t step = std::max<int64_t>(1, kScratchBytes / part_bytes);
  const auto scratch = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<size_t>(std::min(step, slice.rows.size()) * part_bytes));
  for (int64_t row = slice.rows.begin; row < slice.rows.end; row += step) {
    const Range rows{row, std::min(slice.rows.end, row + step)};
    read_blocks(file, tensor, rows, blocks, scratch.get());
    const int64_t first = row - slice.rows.begin;
    decode_rows(tensor.type, scratch.get(), {first, first + rows.size()}, out);
  }
}

void read_dense(const GgufFile& file, const GgufTensor& tensor, const Slice& slice,
                std::byte* out) {
  check_slice(file, tensor, slice);
  check_kind(file, tensor, false);
  if (slice.rows.empty() || slice.cols.empty()) return;
  read_blocks(file, tensor, slice.rows, slice.cols, out);  // a block is one element
}

std::vector<float> read_f32(const GgufFile& file, const GgufTensor& tensor) {
  std::vector<std::byte> raw(static_cast<size_t>(tensor.size_bytes));
  read_dense(file, tensor, {{0, tensor.rows()}, {0, tensor.cols()}}, raw.data());
  return dense_values(weight_format(tensor.type), raw);
}

}  // namespace colonnade
