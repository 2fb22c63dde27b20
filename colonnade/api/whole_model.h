// A model that is to be cut: its tensors under the layers' names, in types that a rank file holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "colonnade/api/model_files.h"
#include "colonnade/base/range.h"
#include "colonnade/io/gguf_metadata.h"
#include "colonnade/io/rank_file.h"

namespace colonnade {

/// Any number of threads may read at once.
class WholeModel {
 public:
  virtual ~WholeModel() = default;

  const ModelFiles& files() const { return files_; }
  const std::vector<WholeTensor>& tensors() const { return tensors_; }
  int64_t row_bytes(size_t index) const;

  /// What every rank's file holds beside its tensors: the configuration, the tokenizer, the chat
  /// template.
  virtual std::vector<GgufEntry> metadata() const = 0;
  /// What names of rank files begin with.
  virtual std::string stem() const = 0;
  /// Rows of tensor `index` as they stand in its type.
  virtual std::vector<std::byte> read(size_t index, Range rows) const = 0;

 protected:
  explicit WholeModel(const std::string& path) : files_(path) {}

  ModelFiles files_;
  std::vector<WholeTensor> tensors_;
};

/// Throws Error as ModelFiles does; for a model that is cut already; and for a tensor of a type
/// that GGUF files do not hold.
std::unique_ptr<WholeModel> open_whole_model(const std::string& name);

}  // namespace colonnade
