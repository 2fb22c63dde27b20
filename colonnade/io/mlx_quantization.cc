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

/// What MLX has of a mode.
struct Mode {
  const char* name;
  MlxMode mode;
  std::span<const int> bits, groups;
  int64_t default_bits, default_group;
};
constexpr int kFour[] = {4}, kEight[] = {8}, k16[] = {16}, k32[] = {32};
constexpr Mode kModes[] = {{"affine", MlxMode::affine, kAffineBits, kAffineGroups, 4, 64},
                           {"mxfp4", MlxMode::mxfp4, kFour, k32, 4, 32},
                           {"mxfp8", MlxMode::mxfp8, kEight, k32, 8, 32},
                           {"nvfp4", MlxMode::nvfp4, kFour, k16, 4, 16}};

const Mode& mode_of(const HfConfig& config) {
  const std::string name = config.text_or("mode", "affine");
  for (const Mode& mode : kModes) {
    if (name == mode.name) return mode;
  }
  config.refuse("mode", "affine, mxfp4, mxfp8 or nvfp4");
}

MlxLayer layer_of(const HfConfig& config) {
  const Mode& mode = mode_of(config);
  MlxLayer layer;
  layer.mode = mode.mode;
  layer.bits = one_of(config, "bits", mode.bits, mode.default_bits);
  layer.group = one_of(config, "group_size", mode.groups, mode.default_group);
  return layer;
}

}  // namespace

MlxQuantization::MlxQuantization(const HfConfig& config) {
  // Older files say it a second time, in a field that transformers has for its own methods.
  const char* name = config.has("quantization") ? "quantization" : "quantization_config";
  const HfConfig quantization = config.object_or_empty(name);
  if (!quantization.has("group_size") && !quantization.has("bits") && !quantization.has("mode"))
    return;
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
