// The many-row kernel on matrix tiles: their integer dots, then the same chain as everywhere.
#pragma once

#include CN_TILES

#include "colonnade/kernels/grouped_tile.inl.h"

namespace colonnade::kernels::CN_ISA {

/// One block's step of the chain of one token and panel. `dots`: integer dot with hi, `low`: with
/// lo (int15).
template <P16Format F, bool kInt15>
inline F32x16 matrix_step(F32x16 acc, const int32_t* dots, const int32_t* low,
                          const ExpandedBlock& e, const TileCodes& x, int m) noexcept {
  I32x16 i = load(dots);
  if constexpr (kInt15) i = add(shl<7>(i), load(low));
  if constexpr (F.zero != 0) i = add(i, splat(x.corrections[m]));
  F32x16 value;
  if constexpr (F.levels == 1) {
    value = to_f32(i);
  } else if constexpr (kInt15) {
    value = to_f32(mul(i, load(e.sub0)));
  } else if constexpr (F.zero != 0) {  // corrections begin with kMagicBits
    value = fma(from_bits(i), from_bits(load(e.sub0)), load(e.shift));
  } else {
    value = mul(to_f32(i), from_bits(load(e.sub0)));  // exact: below 2^24
  }
  acc = fma(value, mul(load(e.scale), splat(x.scale[m])), acc);
  if constexpr (F.offset) acc = fma(load(e.offset), splat(x.scaled_sum[m]), acc);
  return acc;
}

/// kMatrixTokens tokens x 2 panels over a chunk, as grouped_tile. The dots of block b + 1 are under
/// way in the tiles while the vectors take block b's step.
template <P16Format F, bool kInt15, Joining J>
int64_t matrix_tile(const TileSums& sums, const ExpandedBlock* e, const Chunk& chunk,
                    TileCodes x) noexcept {
  static_assert(F.subgroups == 1);
  constexpr int kPanels = 2, kVectors = kMatrixTokens * kPanels;
  alignas(64) int32_t dots[2][kInt15 ? 2 : 1][kVectors * kLanes];
  const auto dot_block = [&](int b) {
    const ExpandedBlock* block = e + b * kPanels;
    const int64_t at = b * kBlock * x.tokens;
    matrix_dots(dots[b % 2][0], x.hi + at, block[0].codes, block[1].codes);
    if constexpr (kInt15) {
      matrix_dots(dots[b % 2][1], x.lo + at, block[0].codes, block[1].codes);
    }
  };
  int64_t bad = 0;
  bool fresh = chunk.fresh;
  dot_block(0);
  for (int b = 0; b < chunk.blocks; ++b) {
    if (b + 1 < chunk.blocks) dot_block(b + 1);
    const int32_t* hi = dots[b % 2][0];
    const int32_t* lo = dots[b % 2][kInt15 ? 1 : 0];
    for (int m = 0; m < kMatrixTokens; ++m) {
      for (int n = 0; n < kPanels; ++n) {
        const int at = (m * kPanels + n) * kLanes;
        float* acc = sums.accumulators + at;
        store(acc, matrix_step<F, kInt15>(fresh ? splat(0.0F) : load(acc), hi + at, lo + at,
                                          e[b * kPanels + n], x, m));
      }
    }
    fresh = chunk.ends[b];
    if (fresh) {
      for (int m = 0; m < kVectors; m += kPanels) {
        const int at = m * kLanes;
        const TileSums token = {sums.accumulators + at, sums.totals + at, sums.low + at, nullptr};
        bad += close_leaf<J, kPanels>(
            token, CN_UNROLLED(auto n) { return load(token.accumulators + n * kLanes); });
      }
    }
    x.scale += x.tokens;
    x.scaled_sum += x.tokens;
    x.corrections += x.correction_tokens;
  }
  return bad;
}

}  // namespace colonnade::kernels::CN_ISA
