#include "colonnade/io/mlx_quantization.h"

#include <algorithm>
#include <span>

#include "colonnade/base/error.h"
#include "colonnade/tensor/weight_format.h"

namespace colonnade {
namespace {

/// A number of the list, or `fallback` if the field is absent.
int64_t one_of(const HfConfig& config, const char* name, std::span<const int> list,
               int64_t fallback) {
  const int64_t value = config.integer_or(name, fallback);
  if (std::ranges::find(list, value) != list.end()) return value;
  std::string expected;
  for (const int known : list) expected += concat(expected.empty() ? "" : ", ", known);
  config.refuse(name, list.size() == 1 ? expected : "one of " + expected);
}

MlxMode mode_of(const HfConfig& config) {
  const std::string mode = config.text_or("mode", "affine");
  if (mode == "affine") return MlxMode::affine;
  if (mode != "mxfp4") config.refuse("mode", "affine or mxfp4");
  return MlxMode::mxfp4;
}

MlxLayer layer_of(const HfConfig& config) {
  constexpr int kMxBits[] = {4}, kMxGroups[] = {32};
  MlxLayer layer;
  layer.mode = mode_of(config);
  const bool mx = layer.mode == MlxMode::mxfp4;
  layer.bits = one_of(config, "bits", mx ? std::span<const int>(kMxBits) : kAffineBits, 4);
  layer.group = one_of(config, "group_size", mx ? std::span<const int>(kMxGroups) : kAffineGroups,
                       mx ? 32 : 64);
  return layer;
}

}  // namespace

MlxQuantization::MlxQuantization(const HfConfig& config) {
  // Older files say it a second time, in a field that transformers has for its own methods.
  const char* name = config.has("quantization") ? "quantization" : "quantization_config";
  const HfConfig quantization = config.object_or_empty(name);
  if (!quantization.has("group_size") && !quantization.has("bits")) return;
  if (quantization.has("quant_method")) return;
  all_ = layer_of(quantization);
  for (const std::string& name : quantization.names()) {
    if (quantization.is_object(name)) {
      single_[name] = layer_of(quantization.object(name));
    } else if (quantization.is_flag(name)) {
      single_[name] = quantization.flag(name) ? all_ : std::nullopt;
    } else if (name.find('.') != std::string::npos) {  // a layer's path, no setting of all of them
      quantization.refuse(name, "an object with bits and group_size, true or false");
    }
  }
}

std::optional<MlxLayer> MlxQuantization::of(std::string_view layer) const {
  const auto found = single_.find(layer);
  return found == single_.end() ? all_ : found->second;
}

}  // namespace colonnade
