// What a session takes where nobody chooses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "colonnade/base/dtype.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

constexpr int64_t kDefaultChunk = 512;  // prompt tokens of a step

/// A chat's worth of positions, never more than the model's.
constexpr int64_t default_context(int64_t longest) { return std::min<int64_t>(longest, 8192); }

/// Of keys and values.
constexpr DType default_cache(std::optional<Tier> precision) {
  return precision.value_or(Tier::int8) == Tier::int8 ? DType::bf16 : DType::f32;
}

}  // namespace colonnade
