// Matrix tiles in plain C++, so that every host tests how tiles are fed and read.
#pragma once

#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

constexpr int kMatrixTokens = 32;
inline int tiles_in_use = 0;

struct MatrixTiles {
  MatrixTiles() noexcept { ++tiles_in_use; }
  ~MatrixTiles() { --tiles_in_use; }
  MatrixTiles(const MatrixTiles&) = delete;
  MatrixTiles& operator=(const MatrixTiles&) = delete;
};

/// As TDPBSUD defines it: C [16, 16] += A [16, 32 bytes, signed] * B [8, 64 bytes, unsigned], where
/// row k of B holds bytes 4k .. 4k + 3 of K for 16 columns.
inline void tile_product(int32_t* c, int64_t c_stride, const int8_t* a, const uint8_t* b) noexcept {
  for (int m = 0; m < 16; ++m) {
    for (int k = 0; k < 8; ++k) {
      for (int n = 0; n < 16; ++n) {
        for (int i = 0; i < 4; ++i) {
          c[m * c_stride + n] += int32_t{a[kBlock * m + 4 * k + i]} * b[64 * k + 4 * n + i];
        }
      }
    }
  }
}

inline void matrix_dots(int32_t* dots, const int8_t* q, const uint8_t* codes0,
                        const uint8_t* codes1) noexcept {
  for (int i = 0; i < kMatrixTokens * 2 * kLanes; ++i) dots[i] = tiles_in_use > 0 ? 0 : 1 << 20;
  for (int half = 0; half < 2; ++half) {
    int32_t* c = dots + half * 16 * 2 * kLanes;
    tile_product(c, 2 * kLanes, q + half * 16 * kBlock, codes0);
    tile_product(c + kLanes, 2 * kLanes, q + half * 16 * kBlock, codes1);
  }
}

}  // namespace colonnade::kernels::CN_ISA
