// Grouped weights whose codes, scales and offsets are tensors of their own: MLX's, and the experts
// of gpt-oss.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "colonnade/base/range.h"
#include "colonnade/io/mlx_quantization.h"
#include "colonnade/io/safetensors.h"
#include "colonnade/tensor/grouped_rows.h"

namespace colonnade {

/// A matrix [rows, cols]. Codes are a little-endian stream of bits per row.
struct GroupedTensor {
  WeightFormat format = WeightFormat::mxfp4;
  int64_t rows = 0;
  int64_t cols = 0;
  const SafetensorsTensor* codes = nullptr;    // rows of cols * bits / 8 bytes
  const SafetensorsTensor* scales = nullptr;   // [rows, cols / group]
  const SafetensorsTensor* offsets = nullptr;  // as scales; nullptr if the format has none

  int64_t file_bytes() const;
};

/// The slice of some rows into rows [first, first + rows.size()) of `out`, which has been reshaped:
/// its begin and cols say which columns. Any number of threads may call it at once. Throws Error
/// naming tensor, row and column of a code or scale of E4M3, or a scale of MXFP8, that is no
/// number.
void read_grouped(const SafetensorsFiles& files, const GroupedTensor& tensor, Range rows,
                  int64_t first, GroupedRows& out);

/// The grouped weights of a model, by name.
///   MLX      X.weight U32 [..., K bits / 32], X.scales [..., K / group], affine also X.biases:
///            the weight "X.weight"
///   gpt-oss  X_blocks U8 [..., K / 32, 16], X_scales U8 [..., K / 32]: the weight "X"
/// Sources: MLX, mlx.core.quantize; transformers, integrations/mxfp4.py.
class GroupedTensors {
 public:
  GroupedTensors() = default;
  /// Throws Error naming the tensor: codes, scales and offsets that do not belong together, or
  /// codes of which the configuration says nothing. `files` must outlive it, and not be changed.
  GroupedTensors(const SafetensorsFiles& files, const MlxQuantization& quantization);

  const std::map<std::string, GroupedTensor, std::less<>>& all() const { return all_; }
  /// nullptr if there is none.
  const GroupedTensor* find(std::string_view name) const;
  /// Is the tensor of the file a part of one of them?
  bool has_part(std::string_view file_name) const { return parts_.contains(file_name); }

 private:
  void add_mlx(const SafetensorsFiles& files, const MlxQuantization& quantization,
               const SafetensorsTensor& scales);
  void add_blocks(const SafetensorsFiles& files, const SafetensorsTensor& blocks);
  void add(const SafetensorsFiles& files, const std::string& name, const GroupedTensor& tensor);

  std::map<std::string, GroupedTensor, std::less<>> all_;
  std::set<std::string, std::less<>> parts_;
};

}  // namespace colonnade
