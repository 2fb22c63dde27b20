// What a session takes where nobody chooses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "colonnade/base/dtype.h"
#include "colonnade/models/decoder_config.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

constexpr int64_t kDefaultChunk = 512;  // prompt tokens of a step

/// A chat's worth of positions, never more than the model's; and not so many that its frequencies
/// would be others (for_context), which short texts have to pay for.
inline int64_t default_context(const DecoderConfig& config) {
  int64_t longest = std::min<int64_t>(config.context, 8192);
  if (!config.rope_long_factors.empty())
    longest = std::min(longest, static_cast<int64_t>(config.rope_scaling.original_context));
  return longest;
}

/// Of keys and values.
constexpr DType default_cache(std::optional<Tier> precision) {
  return precision.value_or(Tier::int8) == Tier::int8 ? DType::bf16 : DType::f32;
}

}  // namespace colonnade
