// Reduction: how the elements of several ranks become one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "colonnade/base/dtype.h"

namespace colonnade {

/// Integers wrap around in sums. Sums of booleans are "or". Of equal values, and of zeros of both
/// signs, max and min keep that of the lowest rank; the first that is no number wins.
enum class Reduction : uint8_t { sum, max, min };

/// out[i] = parts[0][i] op parts[1][i] op ..., from left to right. 16-bit floats are computed with
/// in f32 and rounded once. `out` overlaps no part, but may be one of them.
///   out, parts[r]  [count] dtype, at any address
void reduce(std::byte* out, std::span<const std::byte* const> parts, int64_t count, DType dtype,
            Reduction reduction);

}  // namespace colonnade
