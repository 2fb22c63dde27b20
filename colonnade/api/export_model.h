// A model as it can be written into a GGUF file: metadata and tensors under the names that GGUF has
// for them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "colonnade/base/file.h"
#include "colonnade/base/range.h"
#include "colonnade/io/ggml_type.h"
#include "colonnade/io/gguf_metadata.h"

namespace colonnade {

struct ExportTensor {
  std::string name;
  std::vector<int64_t> dims;     // in file order: dims[0] = columns
  std::string format;            // "Q4_K", "affine4_g64_bf16"
  std::optional<GgmlType> type;  // of the raw rows; none: GGUF has no such type
  int64_t file_bytes = 0;

  int64_t cols() const { return dims.front(); }
  int64_t rows() const;
  bool is_vector() const { return dims.size() == 1; }
};

/// Any number of threads may read at once.
class ExportModel {
 public:
  virtual ~ExportModel() = default;

  /// The files that it is read from.
  virtual const std::vector<File>& files() const = 0;
  /// Of the whole model; nothing about how files were split.
  virtual const std::vector<GgufEntry>& metadata() const = 0;
  virtual const std::vector<ExportTensor>& tensors() const = 0;

  /// Rows of tensor `index` as they stand in its type. Only where there is one.
  virtual void read_raw(size_t index, Range rows, std::span<std::byte> out) const = 0;
  /// Rows as numbers, [rows.size(), cols].
  virtual void read_numbers(size_t index, Range rows, std::span<float> out) const = 0;
};

/// Any architecture. Throws Error if there is no model that can be read.
std::unique_ptr<ExportModel> open_export_model(const std::string& path);

}  // namespace colonnade
