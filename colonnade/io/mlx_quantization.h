// How MLX says in config.json that weights are quantized.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "colonnade/io/hf_config.h"

namespace colonnade {

/// Source: MLX, mlx.core.quantize.
enum class MlxMode : uint8_t { affine, mxfp4, mxfp8, nvfp4 };

struct MlxLayer {
  MlxMode mode = MlxMode::affine;
  int64_t bits = 4;
  int64_t group = 64;
};

/// "quantization": {"group_size", "bits", "mode"}, and below it the same for single layers by their
/// path ("model.layers.0.mlp.down_proj"), or false for those that are not quantized.
class MlxQuantization {
 public:
  /// No layer is quantized.
  MlxQuantization() = default;
  /// Throws Error naming the field: an unknown mode, bits or a group size that MLX does not have.
  explicit MlxQuantization(const HfConfig& config);

  /// Nothing if the layer is not quantized.
  std::optional<MlxLayer> of(std::string_view layer) const;

 private:
  std::optional<MlxLayer> all_;
  std::map<std::string, std::optional<MlxLayer>, std::less<>> single_;
};

}  // namespace colonnade
