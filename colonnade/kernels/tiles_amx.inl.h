// AMX int8 tiles: 32 tokens x 2 panels x one block of 32 along K.
//
// A block's 8 expanded lines (4 along K of 16 rows each) are a B tile of 8 rows as they are; 16
// tokens' codes are an A tile of 16 rows of 32 bytes. Half of a tile's 64 bytes of K stay unused:
// each run of 32 needs its own integer.
//
// By inline assembly: gcc 12's _tile_loadconfig tells the compiler that it reads 8 of its 64 bytes,
// and its _tile_loadd that it reads none, so that stores before them may be dropped.
// Source: Intel SDM volume 2, LDTILECFG, TDPBSUD.
#pragma once

#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

constexpr int kMatrixTokens = 32;

/// Palette 1: tiles 0 to 3 sums (16 x 16 i32), 4 and 5 activations, 6 and 7 weights.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 32, 32, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 8, 8};
};
static_assert(sizeof(TileConfig) == 64);

/// The thread's tiles are ready while one of these lives.
class MatrixTiles {
 public:
  MatrixTiles() noexcept {
    const TileConfig config;
    asm volatile("ldtilecfg %0" : : "m"(config));
  }
  ~MatrixTiles() { asm volatile("tilerelease" : : : "memory"); }
  MatrixTiles(const MatrixTiles&) = delete;
  MatrixTiles& operator=(const MatrixTiles&) = delete;
};

/// dots [32 tokens, 2 panels, 16 rows] = sums over a block of codes (u8) times q (s8).
///   q  [32 tokens, 32]   codes0, codes1  [8 lines, 64] of either panel
inline void matrix_dots(int32_t* dots, const int8_t* q, const uint8_t* codes0,
                        const uint8_t* codes1) noexcept {
  const int64_t token_bytes = kBlock, line_bytes = 64, dots_bytes = int64_t{2} * kLanes * 4;
  asm volatile(
      "tileloadd (%[q0],%[token],1), %%tmm4\n\t"
      "tileloadd (%[c0],%[line],1), %%tmm6\n\t"
      "tileloadd (%[c1],%[line],1), %%tmm7\n\t"
      "tileloadd (%[q1],%[token],1), %%tmm5\n\t"
      "tilezero %%tmm0\n\t"
      "tilezero %%tmm1\n\t"
      "tilezero %%tmm2\n\t"
      "tilezero %%tmm3\n\t"
      "tdpbsud %%tmm6, %%tmm4, %%tmm0\n\t"
      "tdpbsud %%tmm7, %%tmm4, %%tmm1\n\t"
      "tdpbsud %%tmm6, %%tmm5, %%tmm2\n\t"
      "tdpbsud %%tmm7, %%tmm5, %%tmm3\n\t"
      "tilestored %%tmm0, (%[d0],%[row],1)\n\t"
      "tilestored %%tmm1, 64(%[d0],%[row],1)\n\t"
      "tilestored %%tmm2, (%[d1],%[row],1)\n\t"
      "tilestored %%tmm3, 64(%[d1],%[row],1)"
      :
      : [q0] "r"(q), [q1] "r"(q + 16 * kBlock), [c0] "r"(codes0), [c1] "r"(codes1), [d0] "r"(dots),
        [d1] "r"(dots + 16 * 2 * kLanes), [token] "r"(token_bytes), [line] "r"(line_bytes),
        [row] "r"(dots_bytes)
      : "memory");
}

}  // namespace colonnade::kernels::CN_ISA
