// The tensors of a model in safetensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/io/grouped_tensors.h"
#include "colonnade/io/hf_config.h"
#include "colonnade/io/safetensors.h"
#include "colonnade/io/tensor_source.h"

namespace colonnade {

/// F32, F16 and BF16 are weights, and the grouped ones that GroupedTensors describes, under one
/// name each. Tensors of other types are listed, and refused when they are read.
class SafetensorsSource final : public TensorSource {
 public:
  /// `config`, if the model has one, says how weights are quantized. Throws Error if that is a way
  /// that is not read.
  explicit SafetensorsSource(SafetensorsFiles files, const HfConfig* config = nullptr);

  const std::vector<TensorEntry>& entries() const override { return entries_; }
  const TensorEntry* find(std::string_view name) const override;
  RowSource rows(const TensorEntry& entry, const MatrixSlice& slice) const override;
  std::vector<float> values(const TensorEntry& entry) const override;
  std::string place() const override { return files_.path(); }

  const SafetensorsFiles& files() const { return files_; }

 private:
  void list_entries();
  const SafetensorsTensor& dense_tensor(const TensorEntry& entry) const;
  void check_slice(const TensorEntry& entry, const MatrixSlice& slice) const;

  SafetensorsFiles files_;
  GroupedTensors grouped_;
  std::vector<TensorEntry> entries_;
  std::vector<uint32_t> by_name_;  // indices into entries_, sorted by name
};

}  // namespace colonnade
