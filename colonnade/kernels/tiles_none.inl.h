// No matrix tiles: many rows use the vector's integer dot.
#pragma once

#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

constexpr int kMatrixTokens = 0;

struct MatrixTiles {};
inline void matrix_dots(int32_t*, const int8_t*, const uint8_t*, const uint8_t*) noexcept {}

}  // namespace colonnade::kernels::CN_ISA
