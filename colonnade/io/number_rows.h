// Rows of any weight as numbers.
#pragma once

#include <cstdint>
#include <span>

#include "colonnade/base/range.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

/// The rows `rows` of `source`, which delivers them in `format`, as the f32 that they mean.
///   out  [rows.size(), cols]
void read_numbers(const RowSource& source, WeightFormat format, Range rows, std::span<float> out);

}  // namespace colonnade
