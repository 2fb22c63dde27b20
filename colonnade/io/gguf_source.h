// The tensors of a GGUF model.
#pragma once

#include "colonnade/io/gguf.h"
#include "colonnade/io/tensor_source.h"

namespace colonnade {

class GgufSource final : public TensorSource {
 public:
  /// `file` must outlive it.
  explicit GgufSource(const GgufFile& file);

  const std::vector<TensorEntry>& entries() const override { return entries_; }
  const TensorEntry* find(std::string_view name) const override;
  RowSource rows(const TensorEntry& entry, const MatrixSlice& slice) const override;
  std::vector<float> values(const TensorEntry& entry) const override;
  std::string place() const override { return file_.path(); }

 private:
  const GgufTensor& tensor(const TensorEntry& entry) const;

  const GgufFile& file_;
  std::vector<TensorEntry> entries_;
};

}  // namespace colonnade
