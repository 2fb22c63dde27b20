#include "colonnade/api/whole_model.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "colonnade/api/hf_texts.h"
#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/io/ggml_blocks.h"
#include "colonnade/io/gguf.h"
#include "colonnade/io/hf_folder.h"
#include "colonnade/io/hub_cache.h"

namespace colonnade {
namespace {

std::vector<std::byte> as_rows(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

class WholeGguf final : public WholeModel {
 public:
  explicit WholeGguf(const std::string& path) : WholeModel(path), raw_(path) {
    for (const TensorEntry& entry : files_.source().entries()) {
      const GgufTensor& tensor = tensor_of(entry);
      CN_CHECK(!entry.transposed && entry.add == 0, raw_.path(), ": tensor ",
               quote(entry.file_name), ": cannot be cut as it stands in the file");
      tensors_.push_back({entry.name, is_part_of_vector(entry) ? GgmlType::f32 : tensor.type,
                          entry.rows, entry.cols});
    }
  }

  std::vector<GgufEntry> metadata() const override { return unsplit_metadata(raw_); }

  std::string stem() const override {
    const std::string name = std::filesystem::path(raw_.path()).stem().string();
    constexpr size_t kSplitEnd = std::string_view("-00001-of-00003").size();
    return raw_.files().size() > 1 ? name.substr(0, name.size() - kSplitEnd) : name;
  }

  std::vector<std::byte> read(size_t index, Range rows) const override {
    const TensorEntry& entry = files_.source().entries()[index];
    if (is_part_of_vector(entry)) return as_rows(files_.source().values(entry));
    std::vector<std::byte> out(static_cast<size_t>(rows.size() * row_bytes(index)));
    const MatrixSlice slice{rows, {0, entry.cols}};
    for (int64_t row = 0; row < rows.size();) {
      const int64_t count = rows_together(entry, slice, row);
      raw_.read(tensor_of(entry), file_row(entry, slice, row) * row_bytes(index),
                std::span(out).subspan(static_cast<size_t>(row * row_bytes(index)),
                                       static_cast<size_t>(count * row_bytes(index))));
      row += count;
    }
    return out;
  }

 private:
  const GgufTensor& tensor_of(const TensorEntry& entry) const {
    return *raw_.find(entry.file_name);
  }

  bool is_part_of_vector(const TensorEntry& entry) const {
    return entry.rows == 1 && entry.cols != tensor_of(entry).elements();
  }

  GgufFile raw_;
};

/// Vectors become f32, matrices stay as they are.
class WholeHf final : public WholeModel {
 public:
  explicit WholeHf(const std::string& path) : WholeModel(path), folder_(path) {
    for (const TensorEntry& entry : files_.source().entries()) {
      if (files_.ignores(entry)) continue;
      const std::optional<GgmlType> type =
          entry.rows == 1 ? GgmlType::f32 : dense_ggml_type(entry.format);
      CN_CHECK(type.has_value(), folder_.path(), ": tensor ", quote(entry.file_name),
               ": a matrix in ", name_of(entry.format), " is not cut: make a GGUF file of the ",
               "model first (colonnade quantize --type Q8_0), and cut that");
      entries_.push_back(&entry);
      tensors_.push_back({entry.name, *type, entry.rows, entry.cols});
    }
  }

  std::vector<GgufEntry> metadata() const override { return hf_text_keys(folder_); }

  std::string stem() const override { return folder_name(folder_.path()); }

  std::vector<std::byte> read(size_t index, Range rows) const override {
    const TensorEntry& entry = *entries_[index];
    if (entry.rows == 1) return as_rows(files_.source().values(entry));
    std::vector<std::byte> out(static_cast<size_t>(rows.size() * row_bytes(index)));
    files_.source().rows(entry, {rows, {0, entry.cols}}).dense({0, rows.size()}, out.data());
    return out;
  }

 private:
  HfFolder folder_;
  std::vector<const TensorEntry*> entries_;  // [tensors]
};

}  // namespace

int64_t WholeModel::row_bytes(size_t index) const {
  const GgmlTypeInfo& info = info_of(tensors_[index].type);
  return tensors_[index].cols / info.block_elements * info.block_bytes;
}

std::unique_ptr<WholeModel> open_whole_model(const std::string& name) {
  const std::string path = resolve_model(name);
  CN_CHECK(find_rank_files(path).empty(), path,
           ": is cut already: expected the whole model, which can be cut for any number of ranks");
  if (is_hf_model(path)) return std::make_unique<WholeHf>(path);
  return std::make_unique<WholeGguf>(path);
}

}  // namespace colonnade
