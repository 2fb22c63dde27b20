#include "colonnade/io/gguf_source.h"

#include <algorithm>
#include <memory>

#include "colonnade/base/error.h"
#include "colonnade/io/ggml_blocks.h"
#include "colonnade/io/slice_ranges.h"
#include "colonnade/io/tensor_rows.h"

namespace colonnade {
namespace {

/// The rows of `some` become rows [row, row + some.rows) of `out`.
template <typename T>
void put_rows(std::vector<T>& out, const std::vector<T>& some, int64_t rows, int64_t row) {
  std::copy(some.begin(), some.end(),
            out.begin() + row * (static_cast<int64_t>(some.size()) / rows));
}

void put_rows(GroupedRows& out, const GroupedRows& some, int64_t row) {
  put_rows(out.codes, some.codes, some.rows, row);
  put_rows(out.scales, some.scales, some.rows, row);
  put_rows(out.offsets, some.offsets, some.rows, row);
  put_rows(out.sub_scales, some.sub_scales, some.rows, row);
  put_rows(out.sub_offsets, some.sub_offsets, some.rows, row);
}

/// A slice's rows, as many at once as stand together in the file.
struct Reader {
  const GgufFile& file;
  const GgufTensor& tensor;
  TensorEntry entry;
  MatrixSlice slice;

  void grouped(Range rows, GroupedRows& out) const {
    if (rows.empty() || rows_together(entry, slice, rows.begin) >= rows.size()) {
      const int64_t first = file_row(entry, slice, rows.begin);
      read_grouped(file, tensor, {{first, first + rows.size()}, slice.cols}, out);
      return;
    }
    out.reshape(weight_format(tensor.type), rows.size(), slice.cols.begin, slice.cols.size());
    GroupedRows some;
    for_each_stretch(entry, slice, rows, [&](Range at, Range file_rows) {
      read_grouped(file, tensor, {file_rows, slice.cols}, some);
      put_rows(out, some, at.begin - rows.begin);
    });
  }

  void dense(Range rows, std::byte* out) const {
    const int64_t row_bytes = slice.cols.size() * info_of(tensor.type).block_bytes;
    for_each_stretch(entry, slice, rows, [&](Range at, Range file_rows) {
      read_dense(file, tensor, {file_rows, slice.cols}, out + (at.begin - rows.begin) * row_bytes);
    });
  }
};

}  // namespace

GgufSource::GgufSource(const GgufFile& file) : file_(file) {
  entries_.reserve(file.tensors().size());
  for (const GgufTensor& tensor : file.tensors()) {
    entries_.push_back({tensor.name, weight_format(tensor.type), tensor.rows(), tensor.cols(),
                        tensor.size_bytes, tensor.name});
  }
}

const TensorEntry* GgufSource::find(std::string_view name) const {
  const GgufTensor* tensor = file_.find(name);
  return tensor == nullptr ? nullptr
                           : &entries_[static_cast<size_t>(tensor - file_.tensors().data())];
}

const GgufTensor& GgufSource::tensor(const TensorEntry& entry) const {
  const GgufTensor* tensor = file_.find(entry.file_name);
  CN_ASSERT(tensor != nullptr, entry.file_name);
  return *tensor;
}

RowSource GgufSource::rows(const TensorEntry& entry, const MatrixSlice& slice) const {
  CN_CHECK(slice.interleaved_head == 0 ||
               (slice.interleaved_head % 2 == 0 && entry.rows % slice.interleaved_head == 0),
           file_.path(), ": tensor '", entry.name, "': expected rows in whole heads of ",
           slice.interleaved_head, ", got ", entry.rows, " rows");
  CN_CHECK(!entry.transposed, file_.path(), ": tensor '", entry.name,
           "': expected rows as GGUF files hold them, got a transposed matrix");
  const Reader reader{file_, tensor(entry), entry, slice};
  RowSource source;
  if (is_grouped(entry.format)) {
    source.grouped = [reader](Range rows, GroupedRows& out) { reader.grouped(rows, out); };
  } else {
    source.dense = [reader](Range rows, std::byte* out) { reader.dense(rows, out); };
  }
  return source;
}

std::vector<float> GgufSource::values(const TensorEntry& entry) const {
  return values_of(entry, read_f32(file_, tensor(entry)));
}

}  // namespace colonnade
