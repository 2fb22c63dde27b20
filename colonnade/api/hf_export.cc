#include "colonnade/api/hf_export.h"

#include <algorithm>
#include <optional>

#include "colonnade/api/hf_metadata.h"
#include "colonnade/api/hf_texts.h"
#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/ggml_blocks.h"
#include "colonnade/io/number_rows.h"
#include "colonnade/models/family.h"
#include "colonnade/models/stacked_tensors.h"

namespace colonnade {
namespace {

/// The model's row that stands in row `row` of the file, whose pairs stand side by side: the
/// inverse of interleaved_row.
int64_t row_behind(int64_t row, int64_t head) {
  const int64_t in_head = row % head;
  return row - in_head + in_head / 2 + in_head % 2 * (head / 2);
}

std::vector<TensorEntry> exported(const ModelFiles& model) {
  std::vector<TensorEntry> entries;
  for (const TensorEntry& entry : model.source().entries()) {
    if (!model.ignores(entry)) entries.push_back(entry);
  }
  return entries;
}

class HfExport final : public ExportModel {
 public:
  explicit HfExport(const std::string& path)
      : model_(path),
        metadata_(gguf_metadata_of(model_, folder_name(model_.path()))),
        entries_(exported(model_)),
        stacks_(stack_tensors(entries_,
                              family_of_architecture(model_.config().architecture).gguf_names)) {
    for (const StackedTensor& stack : stacks_) tensors_.push_back(describe(stack));
    for (const ConfigTensor& made : metadata_.tensors) {
      const auto size = static_cast<int64_t>(made.values.size());
      tensors_.push_back({made.name, {size}, name_of(GgmlType::f32), std::nullopt, size * 4});
    }
  }

  const std::vector<File>& files() const override { return model_.files(); }
  const std::vector<GgufEntry>& metadata() const override { return metadata_.entries; }
  const std::vector<ExportTensor>& tensors() const override { return tensors_; }

  void read_raw(size_t index, Range rows, std::span<std::byte> out) const override {
    const auto row_bytes = out.size() / static_cast<size_t>(rows.size());
    for_parts(stacks_[index], rows, [&](const TensorEntry& part, Range own, int64_t at) {
      model_.source()
          .rows(part, {own, {0, part.cols}})
          .dense({0, own.size()}, out.data() + static_cast<size_t>(at) * row_bytes);
    });
  }

  void read_numbers(size_t index, Range rows, std::span<float> out) const override {
    if (index >= stacks_.size()) {
      std::ranges::copy(metadata_.tensors[index - stacks_.size()].values, out.begin());
      return;
    }
    const StackedTensor& stack = stacks_[index];
    if (stack.is_vector() && !stack.experts) {
      for (const TensorEntry* part : stack.parts) {
        read_vector(*part, out.first(static_cast<size_t>(part->cols)));
        out = out.subspan(static_cast<size_t>(part->cols));
      }
      return;
    }
    for_parts(stack, rows, [&](const TensorEntry& part, Range own, int64_t at) {
      read_rows(part, own, out.subspan(static_cast<size_t>(at * part.cols)));
    });
  }

 private:
  ExportTensor describe(const StackedTensor& stack) const {
    const TensorEntry& first = *stack.parts.front();
    const std::optional<GgmlType> type = dense_ggml_type(first.format);
    ExportTensor tensor{stack.name, stack.dims(), type ? name_of(*type) : name_of(first.format),
                        type, 0};
    for (const TensorEntry* part : stack.parts) {
      tensor.file_bytes += part->file_bytes;
      // Values that are changed or moved on their way have no raw rows.
      if (part->format != first.format || part->add != 0 || is_moved(*part)) tensor.type.reset();
    }
    if (stack.is_vector()) tensor.type.reset();
    return tensor;
  }

  /// Calls `read` with each part that `rows` of the stack meet, its rows, and where in `rows` they
  /// begin.
  template <typename Read>
  static void for_parts(const StackedTensor& stack, Range rows, Read&& read) {
    int64_t begin = 0;
    for (const TensorEntry* part : stack.parts) {
      const Range own{std::max(rows.begin, begin) - begin, std::min(rows.end - begin, part->rows)};
      if (own.begin < own.end) read(*part, own, begin + own.begin - rows.begin);
      begin += part->rows;
    }
  }

  /// Whether GGUF has its rows in another order.
  bool is_moved(const TensorEntry& entry) const {
    const std::string_view name = entry.name;
    const bool q_or_k = name.find(".attn_q.") != name.npos || name.find(".attn_k.") != name.npos;
    return q_or_k && metadata_.config.interleaved_qk && !model_.config().interleaved_qk;
  }

  void read_rows(const TensorEntry& entry, Range rows, std::span<float> out) const {
    if (entry.rows == 1) return read_vector(entry, out);
    const auto cols = static_cast<size_t>(entry.cols);
    if (!is_moved(entry)) {
      colonnade::read_numbers(model_.source().rows(entry, {rows, {0, entry.cols}}), entry.format,
                              {0, rows.size()}, out.first(static_cast<size_t>(rows.size()) * cols));
      return;
    }
    const RowSource all = model_.source().rows(entry, {{0, entry.rows}, {0, entry.cols}});
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      const int64_t at = row_behind(row, model_.config().head_dim);
      colonnade::read_numbers(all, entry.format, {at, at + 1},
                              out.subspan(static_cast<size_t>(row - rows.begin) * cols, cols));
    }
  }

  void read_vector(const TensorEntry& entry, std::span<float> out) const {
    const std::vector<float> values = model_.source().values(entry);
    const int64_t head = model_.config().head_dim;
    for (int64_t i = 0; i < entry.cols; ++i)
      out[static_cast<size_t>(i)] =
          values[static_cast<size_t>(is_moved(entry) ? row_behind(i, head) : i)];
  }

  ModelFiles model_;
  HfMetadata metadata_;
  std::vector<TensorEntry> entries_;
  std::vector<StackedTensor> stacks_;  // of entries_
  std::vector<ExportTensor> tensors_;  // [stacks + metadata's tensors]
};

}  // namespace

std::unique_ptr<ExportModel> open_hf_export(const std::string& path) {
  return std::make_unique<HfExport>(path);
}

}  // namespace colonnade
