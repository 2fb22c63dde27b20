#include "colonnade/io/gguf_source.h"

#include <algorithm>
#include <memory>

#include "colonnade/base/error.h"
#include "colonnade/io/ggml_blocks.h"
#include "colonnade/io/tensor_rows.h"

namespace colonnade {
namespace {

template <typename T>
void put_row(std::vector<T>& out, const std::vector<T>& one, int64_t row) {
  std::copy(one.begin(), one.end(), out.begin() + row * static_cast<int64_t>(one.size()));
}

void put_row(GroupedRows& out, const GroupedRows& one, int64_t row) {
  put_row(out.codes, one.codes, row);
  put_row(out.scales, one.scales, row);
  put_row(out.offsets, one.offsets, row);
  put_row(out.sub_scales, one.sub_scales, row);
  put_row(out.sub_offsets, one.sub_offsets, row);
}

/// A slice's rows in the file's own order, or row by row where they stand interleaved.
struct Reader {
  const GgufFile& file;
  const GgufTensor& tensor;
  MatrixSlice slice;

  Slice part(Range rows) const {
    return {{slice.rows.begin + rows.begin, slice.rows.begin + rows.end}, slice.cols};
  }
  Slice one(int64_t row) const {
    const int64_t at = interleaved_row(slice.rows.begin + row, slice.interleaved_head);
    return {{at, at + 1}, slice.cols};
  }

  void grouped(Range rows, GroupedRows& out) const {
    if (slice.interleaved_head == 0) {
      read_grouped(file, tensor, part(rows), out);
      return;
    }
    out.reshape(weight_format(tensor.type), rows.size(), slice.cols.begin, slice.cols.size());
    GroupedRows row;
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      read_grouped(file, tensor, one(r), row);
      put_row(out, row, r - rows.begin);
    }
  }

  void dense(Range rows, std::byte* out) const {
    if (slice.interleaved_head == 0) {
      read_dense(file, tensor, part(rows), out);
      return;
    }
    const int64_t row_bytes = slice.cols.size() * info_of(tensor.type).block_bytes;
    for (int64_t r = rows.begin; r < rows.end; ++r, out += row_bytes) {
      read_dense(file, tensor, one(r), out);
    }
  }
};

}  // namespace

GgufSource::GgufSource(const GgufFile& file) : file_(file) {
  entries_.reserve(file.tensors().size());
  for (const GgufTensor& tensor : file.tensors()) {
    CN_CHECK(tensor.dims[2] == 1 && tensor.dims[3] == 1, file.path(), ": tensor '", tensor.name,
             "': expected a matrix or a vector, got ", tensor.dim_count, " dimensions");
    entries_.push_back(
        {tensor.name, weight_format(tensor.type), tensor.rows(), tensor.cols(), tensor.size_bytes});
  }
}

const TensorEntry* GgufSource::find(std::string_view name) const {
  const GgufTensor* tensor = file_.find(name);
  return tensor == nullptr ? nullptr
                           : &entries_[static_cast<size_t>(tensor - file_.tensors().data())];
}

const GgufTensor& GgufSource::tensor(const TensorEntry& entry) const {
  const GgufTensor* tensor = file_.find(entry.name);
  CN_ASSERT(tensor != nullptr, entry.name);
  return *tensor;
}

RowSource GgufSource::rows(const TensorEntry& entry, const MatrixSlice& slice) const {
  CN_CHECK(slice.interleaved_head == 0 ||
               (slice.interleaved_head % 2 == 0 && entry.rows % slice.interleaved_head == 0),
           file_.path(), ": tensor '", entry.name, "': expected rows in whole heads of ",
           slice.interleaved_head, ", got ", entry.rows, " rows");
  const Reader reader{file_, tensor(entry), slice};
  RowSource source;
  if (is_grouped(entry.format)) {
    source.grouped = [reader](Range rows, GroupedRows& out) { reader.grouped(rows, out); };
  } else {
    source.dense = [reader](Range rows, std::byte* out) { reader.dense(rows, out); };
  }
  return source;
}

std::vector<float> GgufSource::values(const TensorEntry& entry) const {
  return read_f32(file_, tensor(entry));
}

}  // namespace colonnade
