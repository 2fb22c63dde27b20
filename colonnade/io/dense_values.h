// Elements of dense formats as f32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/tensor/weight_format.h"

namespace colonnade {

/// Bytes of an element of a dense format.
constexpr int64_t dense_element_bytes(WeightFormat format) {
  return format == WeightFormat::f32 ? 4 : 2;
}

/// raw [n] elements of a dense format, as a file holds them -> [n].
std::vector<float> dense_values(WeightFormat format, std::span<const std::byte> raw);

}  // namespace colonnade
