#include "colonnade/api/hf_export.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "colonnade/api/hf_metadata.h"
#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/number_rows.h"

namespace colonnade {
namespace {

std::optional<GgmlType> dense_type(WeightFormat format) {
  switch (format) {
    case WeightFormat::f32:
      return GgmlType::f32;
    case WeightFormat::f16:
      return GgmlType::f16;
    case WeightFormat::bf16:
      return GgmlType::bf16;
    default:
      return std::nullopt;
  }
}

/// The model's row that stands in row `row` of the file, whose pairs stand side by side: the
/// inverse of interleaved_row.
int64_t row_behind(int64_t row, int64_t head) {
  const int64_t in_head = row % head;
  return row - in_head + in_head / 2 + in_head % 2 * (head / 2);
}

class HfExport final : public ExportModel {
 public:
  explicit HfExport(const std::string& path)
      : model_(path),
        metadata_(gguf_metadata_of(
            model_, std::filesystem::path(model_.path() + "/").parent_path().filename().string())) {
    for (const TensorEntry& entry : model_.source().entries()) {
      if (entry.name == "output.weight" && model_.config().tied.value_or(false)) continue;
      entries_.push_back(&entry);
      ExportTensor& tensor = tensors_.emplace_back();
      tensor.name = entry.name;
      tensor.dims = {entry.cols};
      if (entry.rows > 1) tensor.dims.push_back(entry.rows);
      const std::optional<GgmlType> type = dense_type(entry.format);
      tensor.format = type ? name_of(*type) : name_of(entry.format);
      // Values that are changed or moved on their way have no raw rows.
      if (entry.add == 0 && !is_moved(entry)) tensor.type = type;
      tensor.file_bytes = entry.file_bytes;
    }
  }

  const std::vector<File>& files() const override { return model_.files(); }
  const std::vector<GgufEntry>& metadata() const override { return metadata_; }
  const std::vector<ExportTensor>& tensors() const override { return tensors_; }

  void read_raw(size_t index, Range rows, std::span<std::byte> out) const override {
    const TensorEntry& entry = *entries_[index];
    model_.source().rows(entry, {rows, {0, entry.cols}}).dense({0, rows.size()}, out.data());
  }

  void read_numbers(size_t index, Range rows, std::span<float> out) const override {
    const TensorEntry& entry = *entries_[index];
    const int64_t head = is_moved(entry) ? model_.config().head_dim : 0;
    if (entry.rows == 1) return read_vector(entry, head, out);
    const auto cols = static_cast<size_t>(entry.cols);
    if (head == 0) {
      colonnade::read_numbers(model_.source().rows(entry, {rows, {0, entry.cols}}), entry.format,
                              {0, rows.size()}, out);
      return;
    }
    const RowSource all = model_.source().rows(entry, {{0, entry.rows}, {0, entry.cols}});
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      const int64_t at = row_behind(row, head);
      colonnade::read_numbers(all, entry.format, {at, at + 1},
                              out.subspan(static_cast<size_t>(row - rows.begin) * cols, cols));
    }
  }

 private:
  /// Whether GGUF has its rows in another order.
  bool is_moved(const TensorEntry& entry) const {
    const std::string_view name = entry.name;
    const bool q_or_k = name.find(".attn_q.") != name.npos || name.find(".attn_k.") != name.npos;
    return model_.config().architecture == "llama" && q_or_k;
  }

  void read_vector(const TensorEntry& entry, int64_t head, std::span<float> out) const {
    const std::vector<float> values = model_.source().values(entry);
    for (int64_t i = 0; i < entry.cols; ++i)
      out[static_cast<size_t>(i)] = values[static_cast<size_t>(head > 0 ? row_behind(i, head) : i)];
  }

  ModelFiles model_;
  std::vector<GgufEntry> metadata_;
  std::vector<const TensorEntry*> entries_;
  std::vector<ExportTensor> tensors_;
};

}  // namespace

std::unique_ptr<ExportModel> open_hf_export(const std::string& path) {
  return std::make_unique<HfExport>(path);
}

}  // namespace colonnade
