#include "colonnade/io/safetensors_source.h"

#include <memory>
#include <optional>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/dense_values.h"
#include "colonnade/io/named_tensors.h"
#include "colonnade/io/slice_ranges.h"
#include "colonnade/io/transposed_rows.h"

namespace colonnade {
namespace {

constexpr int kMostDims = 4;

std::optional<WeightFormat> dense_format(SafetensorsType type) {
  switch (type) {
    case SafetensorsType::f32:
      return WeightFormat::f32;
    case SafetensorsType::bf16:
      return WeightFormat::bf16;
    case SafetensorsType::f16:
      return WeightFormat::f16;
    default:
      return std::nullopt;
  }
}

/// What config.json says of quantized weights. Methods of transformers (GPTQ, AWQ, ...) keep them
/// in tensors of their own forms and names; that of gpt-oss is known by its tensors.
MlxQuantization quantization_of(const HfConfig* config) {
  if (config == nullptr) return {};
  const HfConfig other = config->object_or_empty("quantization_config");
  if (other.text_or("quant_method", "mxfp4") != "mxfp4") other.refuse("quant_method", "mxfp4");
  return MlxQuantization(*config);
}

/// A slice of a dense tensor whose rows stand in the file as the model wants them.
struct DenseReader {
  const SafetensorsFiles& files;
  const SafetensorsTensor& tensor;
  TensorEntry entry;
  MatrixSlice slice;

  void operator()(Range rows, std::byte* out) const {
    const int64_t size = dense_element_bytes(entry.format);
    const Range part{slice.cols.begin * size, slice.cols.end * size};
    for_each_stretch(entry, slice, rows, [&](Range at, Range file_rows) {
      read_row_parts(
          tensor.cols() * size, file_rows, part, out + (at.begin - rows.begin) * part.size(),
          [&](int64_t begin, std::span<std::byte> bytes) { files.read(tensor, begin, bytes); });
    });
  }
};

/// The same of a grouped tensor.
struct GroupedReader {
  const SafetensorsFiles& files;
  const GroupedTensor& tensor;
  TensorEntry entry;
  MatrixSlice slice;

  void operator()(Range rows, GroupedRows& out) const {
    out.reshape(tensor.format, rows.size(), slice.cols.begin, slice.cols.size());
    for_each_stretch(entry, slice, rows, [&](Range at, Range file_rows) {
      read_grouped(files, tensor, file_rows, at.begin - rows.begin, out);
    });
  }
};

/// The same of a tensor that the file holds transposed: the file's columns are rows.
struct TransposedReader {
  const SafetensorsFiles& files;
  const SafetensorsTensor& tensor;
  TensorEntry entry;
  MatrixSlice slice;

  void operator()(int64_t file_row, Range rows, std::byte* out) const {
    const int64_t size = dense_element_bytes(entry.format);
    for_each_stretch(entry, slice, rows, [&](Range at, Range file_cols) {
      files.read(
          tensor, ((entry.first_col + file_row) * tensor.cols() + file_cols.begin) * size,
          {out + (at.begin - rows.begin) * size, static_cast<size_t>(file_cols.size() * size)});
    });
  }
};

}  // namespace

SafetensorsSource::SafetensorsSource(SafetensorsFiles files, const HfConfig* config)
    : files_(std::move(files)), grouped_(files_, quantization_of(config)) {
  list_entries();
  by_name_ = sorted_by_name(entries_);
}

void SafetensorsSource::list_entries() {
  for (const SafetensorsTensor& tensor : files_.tensors()) {
    if (grouped_.has_part(tensor.name)) continue;
    entries_.push_back({tensor.name, dense_format(tensor.type).value_or(WeightFormat::f32),
                        tensor.rows(), tensor.cols(), tensor.size_bytes, tensor.name});
  }
  for (const auto& [name, tensor] : grouped_.all()) {
    entries_.push_back({name, tensor.format, tensor.rows, tensor.cols, tensor.file_bytes(), name});
  }
}

const TensorEntry* SafetensorsSource::find(std::string_view name) const {
  return find_by_name(entries_, by_name_, name);
}

const SafetensorsTensor& SafetensorsSource::dense_tensor(const TensorEntry& entry) const {
  CN_CHECK(grouped_.find(entry.file_name) == nullptr, files_.path(), ": tensor ",
           quote(entry.file_name), ": expected dense values, got groups of ",
           name_of(entry.format));
  const SafetensorsTensor* tensor = files_.find(entry.file_name);
  CN_ASSERT(tensor != nullptr, entry.file_name);
  CN_CHECK(dense_format(tensor->type).has_value(), files_.path(), ": tensor ",
           quote(entry.file_name), ": expected weights of F32, F16 or BF16, got ",
           name_of(tensor->type));
  CN_CHECK(tensor->dim_count <= kMostDims, files_.path(), ": tensor ", quote(entry.file_name),
           ": expected a weight of at most ", kMostDims, " dimensions, got ",
           tensor->description());
  return *tensor;
}

void SafetensorsSource::check_slice(const TensorEntry& entry, const MatrixSlice& slice) const {
  CN_CHECK(inside(slice.rows, entry.rows) && inside(slice.cols, entry.cols), files_.path(),
           ": tensor ", quote(entry.file_name), ": expected a slice of [", entry.rows, ", ",
           entry.cols, "], got rows ", slice.rows.begin, " to ", slice.rows.end, ", columns ",
           slice.cols.begin, " to ", slice.cols.end);
  CN_CHECK(slice.interleaved_head == 0 ||
               (slice.interleaved_head % 2 == 0 && entry.rows % slice.interleaved_head == 0),
           files_.path(), ": tensor ", quote(entry.file_name), ": expected rows in whole heads of ",
           slice.interleaved_head, ", got ", entry.rows, " rows");
}

namespace {

/// The entry, a part of a tensor [rows, cols], must fit into it: the last of its rows is the
/// furthest. Of a transposed one all numbers are turned.
void check_entry(const std::string& path, const TensorEntry& entry, int64_t rows, int64_t cols) {
  const int64_t last = entry.rows == 0 ? 0 : entry.map(entry.rows - 1) + 1;
  const bool has_cols =
      entry.transposed ? entry.first_col + entry.cols <= cols : entry.cols == cols;
  CN_CHECK(has_cols && last <= rows, path, ": tensor ", quote(entry.file_name),
           ": expected at least ", last, " rows of ", entry.first_col + entry.cols, " for ",
           quote(entry.name), ", got [", rows, ", ", cols, "]",
           entry.transposed ? ", which is transposed" : "");
}

}  // namespace

RowSource SafetensorsSource::rows(const TensorEntry& entry, const MatrixSlice& slice) const {
  check_slice(entry, slice);
  RowSource source;
  const GroupedTensor* grouped = grouped_.find(entry.file_name);
  if (grouped != nullptr) {
    CN_CHECK(!entry.transposed, files_.path(), ": tensor ", quote(entry.file_name),
             ": expected a dense tensor, because it is transposed, got groups of ",
             name_of(grouped->format));
    check_entry(files_.path(), entry, grouped->rows, grouped->cols);
    source.grouped = GroupedReader{files_, *grouped, entry, slice};
    return source;
  }
  const SafetensorsTensor& tensor = dense_tensor(entry);
  if (!entry.transposed) {
    check_entry(files_.path(), entry, tensor.rows(), tensor.cols());
    source.dense = DenseReader{files_, tensor, entry, slice};
    return source;
  }
  check_entry(files_.path(), entry, tensor.cols(), tensor.rows());
  auto turned = std::make_shared<TransposedRows>(
      TransposedSlice{slice.rows.size(), slice.cols, dense_element_bytes(entry.format)},
      TransposedReader{files_, tensor, entry, slice});
  source.dense = [turned](Range rows, std::byte* out) { turned->read(rows, out); };
  return source;
}

std::vector<float> SafetensorsSource::values(const TensorEntry& entry) const {
  const SafetensorsTensor& tensor = dense_tensor(entry);
  std::vector<std::byte> raw(static_cast<size_t>(tensor.size_bytes));
  files_.read(tensor, 0, raw);
  return values_of(entry, dense_values(entry.format, raw));
}

}  // namespace colonnade
