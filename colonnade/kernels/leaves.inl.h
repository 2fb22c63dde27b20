// The end of a leaf: its f32 values join the row's sum, in f32 or as integers, and what becomes of
// the sum. docs/numerics.md section 4.
//
// An exact sum adds I = round-half-even(v * 2^36) as int64. Conversions to int64 and their adds are
// what would cost most of it, so while values are of ordinary size it is kept in two parts of 32
// bits: v is cut at 2^-13 by adding it to the high part, f32s in [2, 4) whose unit is 2^-13 of v
// (2^-22 * 2^9). The addition's rounding error, which f32 holds exactly, is what is left of v; as
// f32 above 1.5 * 2^-13, whose unit is 2^-36, it rounds half to even as v does (what was cut off is
// an even multiple of 2^-36), and its bits are the integer that joins the low part. All is exact as
// long as the high part stays in [2, 4): sums of leaves within 2^9. Its exponent tells, also of
// infinities and NaNs: all that is not in [2, 4) has other bits there, but for 0, which 3 - 1024 *
// 2^-9 gives exactly, and from where every leaf is exact or found out. A tile that left its range
// is done again with care: 64-bit sums, by the definition.
#pragma once

#include "colonnade/kernels/unroll.inl.h"
#include "colonnade/kernels/vec.inl.h"
#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

constexpr float kLeafLimit = 1048576.0F;
constexpr float kHighStart = 3.0F, kHighScale = 0x1p-9F;
constexpr int32_t kHighLeft = static_cast<int32_t>(0xbf800000U);  // sign, exponent: not [2, 4)
constexpr float kLowMagic = 0x1.8p-13F;
constexpr int32_t kLowBias = __builtin_bit_cast(int32_t, kLowMagic);
/// CN_QUICK_LEAVES: false in the scalar table, which is the definition. The low part of more leaves
/// might not fit: 500 * 2^22 < 2^31.
inline bool may_be_quick(int32_t leaves) noexcept { return CN_QUICK_LEAVES && leaves <= 500; }

/// What the low part begins with: behind `leaves` leaves the bias is gone.
inline I32x16 low_start(int32_t leaves) noexcept {
  return splat(
      static_cast<int32_t>(-static_cast<uint32_t>(kLowBias) * static_cast<uint32_t>(leaves)));
}

/// A leaf joins an exact sum.
[[gnu::always_inline]] inline void join(F32x16& high, I32x16& low, F32x16 leaf) noexcept {
  const F32x16 next = fma(leaf, splat(kHighScale), high);
  const F32x16 rest = fma(sub(next, high), splat(-1.0F / kHighScale), leaf);
  low = add(low, bits(add(rest, splat(kLowMagic))));
  high = next;
}

/// float(double(sum) * 2^-36) of the two parts. What of the low part are units of the high one goes
/// there; then both are exact in f32 and their sum has the one rounding (f64 holds the sum).
inline F32x16 finish_f32(F32x16 high, I32x16 low) noexcept {
  const I32x16 units = sar<23>(add(low, splat(1 << 22)));
  const F32x16 top = fma(high, splat(1.0F / kHighScale), splat(-kHighStart / kHighScale));
  const F32x16 rest = to_f32(sub(low, shl<23>(units)));
  return fma(rest, splat(0x1p-36F), fma(to_f32(units), splat(0x1p-13F), top));
}

/// Leaves join 64-bit sums by the definition. Returns how many are out of range; a vector with one
/// of them is not added.
[[gnu::noinline]] inline int64_t join_carefully(int64_t* wide, const float* leaves,
                                                int vectors) noexcept {
  int64_t bad = 0;
  for (int i = 0; i < vectors; ++i, wide += kLanes, leaves += kLanes) {
    const uint32_t mask = out_of_range(load(leaves), kLeafLimit);
    bad += __builtin_popcount(mask);
    if (mask == 0) add_fixed(wide, load(leaves));
  }
  return bad;
}

/// Writes fewer than 16 finished sums of one token.
[[gnu::noinline]] inline void write_part(const ProductOut& out, F32x16 value, int64_t at,
                                         int64_t row, int64_t rows) noexcept {
  float values[kLanes];
  store(values, value);
  for (int64_t r = 0; r < rows; ++r) {
    if (out.bias != nullptr) values[r] = values[r] + out.bias[row + r];
    if (out.residual != nullptr) values[r] = values[r] + out.residual[at + r];
    out.y[at + r] = values[r];
  }
}

/// Writes `rows` (<= 16) finished sums of one token to their place.
inline void write_out(const ProductOut& out, F32x16 value, int64_t token, int64_t row,
                      int64_t rows) noexcept {
  const int64_t at = token * out.stride + row;
  if (rows < kLanes) {
    write_part(out, value, at, row, rows);
    return;
  }
  if (out.bias != nullptr) value = add(value, load(out.bias + row));
  if (out.residual != nullptr) value = add(value, load(out.residual + at));
  store(out.y + at, value);
}

/// Exact sums of 16 rows of one token.
struct ExactSums {
  F32x16 high;
  I32x16 low;
  const int64_t* wide;  // [16] where care was needed, and nothing in the parts; else null
};

/// Exact sums of one token and panel: finished in place (y), or left to the group (sums).
inline void write_exact(const ProductOut& out, const ExactSums& exact, int64_t token, int64_t row,
                        int64_t rows) noexcept {
  if (out.sums == nullptr) {
    const F32x16 value =
        exact.wide != nullptr ? from_fixed(exact.wide) : finish_f32(exact.high, exact.low);
    write_out(out, value, token, row, rows);
    return;
  }
  alignas(64) int64_t total[kLanes] = {};
  if (exact.wide != nullptr) {
    __builtin_memcpy(total, exact.wide, sizeof(total));
  } else {
    const F32x16 units = sub(exact.high, splat(kHighStart));
    add_parts(total, to_i32(mul(units, splat(0x1p22F))), exact.low);
  }
  int64_t* sums = out.sums + token * out.stride + row;
  if (rows < kLanes) {
    for (int64_t r = 0; r < rows; ++r) sums[r] = total[r];
  } else {
    __builtin_memcpy(sums, total, kLanes * sizeof(int64_t));
  }
}

/// How leaves join the sums of a tile.
enum class Joining : uint8_t { f32, quick, careful };

/// Sums of a register tile, [tokens, panels * 16].
struct TileSums {
  float* accumulators;  // of the leaf at hand
  float* totals;        // leaves so far, added in f32; of exact sums the high part
  int32_t* low;         // exact sums: the low part
  int64_t* wide;        // exact sums: leaves that were joined with care
};

/// A leaf of kVectors x 16 outputs joins the sums; leaf(i) is the i-th vector. Returns how many are
/// out of range, or (quick) below 0 when a high part has left its range.
template <Joining J, int kVectors, typename Leaf>
[[gnu::always_inline]] inline int64_t close_leaf(const TileSums& sums, const Leaf& leaf) noexcept {
  if constexpr (J == Joining::f32) {
    repeat<kVectors>(CN_UNROLLED(auto i) {
      float* total = sums.totals + i * kLanes;
      store(total, add(load(total), leaf(i)));
    });
    return 0;
  } else if constexpr (J == Joining::quick) {
    I32x16 seen = splat(0), even = splat(0);
    repeat<kVectors>(CN_UNROLLED(auto i) {
      F32x16 high = load(sums.totals + i * kLanes);
      I32x16 low = load(sums.low + i * kLanes);
      join(high, low, leaf(i));
      store(sums.totals + i * kLanes, high);
      store(sums.low + i * kLanes, low);
      if constexpr (i % 2 != 0) seen = bor(seen, even, bits(high));
      even = bits(high);
    });
    if constexpr (kVectors % 2 != 0) seen = bor(seen, even, even);
    return any_bits(seen, kHighLeft) ? -1 : 0;
  } else {
    alignas(64) float leaves[kVectors * kLanes];
    repeat<kVectors>(CN_UNROLLED(auto i) { store(leaves + i * kLanes, leaf(i)); });
    return join_carefully(sums.wide, leaves, kVectors);
  }
}

/// Sums of a token tile, [tokens, panels * 16], all of K.
struct LeafSums {
  float* accumulators;
  float* totals;
  int32_t* low;        // null: leaves are added in f32
  int64_t* wide;       // exact sums of tiles that need care
  Span left = {0, 0};  // lanes that hold all tiles whose sums are not right

  /// Before the first of `leaves` leaves, `lanes` a multiple of 16. -0 + x is x, also for x = -0:
  /// in f32 the first leaf is copied.
  void begin(int64_t lanes, int32_t leaves) noexcept {
    const F32x16 first = splat(low != nullptr ? kHighStart : -0.0F);
    for (int64_t i = 0; i < lanes; i += kLanes) store(totals + i, first);
    if (low == nullptr) return;
    for (int64_t i = 0; i < lanes; i += kLanes) store(low + i, low_start(leaves));
    left = {0, 0};
  }

  /// A tile's answer (as of close_leaf); it stands at `lane`. Returns leaves out of range.
  int64_t note(int64_t answer, int64_t lane, int64_t lanes) noexcept {
    if (answer >= 0) return answer;
    if (left.begin == left.end) left = {lane, lane};
    if (lane < left.begin) left.begin = lane;
    if (lane + lanes > left.end) left.end = lane + lanes;
    return 0;
  }

  /// Before lanes `left` are done again, with care.
  void clear_wide() const noexcept {
    auto* words = reinterpret_cast<int32_t*>(wide);
    for (int64_t i = 2 * left.begin; i < 2 * left.end; i += kLanes) store(words + i, splat(0));
  }

  TileSums at(int64_t lane) const noexcept {
    return {accumulators + lane, totals + lane, low != nullptr ? low + lane : nullptr, wide + lane};
  }

  /// Writes the sums of one token and panel, `rows` (<= 16) from `row` on; they stand at `lane`.
  void write(const ProductOut& out, int64_t lane, int64_t token, int64_t row,
             int64_t rows) const noexcept {
    if (low == nullptr) {
      write_out(out, load(totals + lane), token, row, rows);
      return;
    }
    const bool careful = left.begin <= lane && lane < left.end;
    const ExactSums exact = {load(totals + lane), load(low + lane),
                             careful ? wide + lane : nullptr};
    write_exact(out, exact, token, row, rows);
  }
};

/// Exact sums of kVectors x 16 rows and one token: chain(on_leaf) calls on_leaf(leaf) for every
/// leaf. `wide` [kVectors][16] is for leaves that need care. Returns how many were out of range.
template <int kVectors, typename Chain>
[[gnu::noinline]] int64_t sum_rows_carefully(ExactSums (&sums)[kVectors], int64_t (*wide)[kLanes],
                                             const Chain& chain) noexcept {
  int64_t bad = 0;
  __builtin_memset(wide, 0, sizeof(*wide) * kVectors);
  chain(CN_UNROLLED(const auto& leaf) {
    alignas(64) float leaves[kVectors * kLanes];
    repeat<kVectors>(CN_UNROLLED(auto i) { store(leaves + i * kLanes, leaf(i)); });
    bad += join_carefully(wide[0], leaves, kVectors);
  });
  repeat<kVectors>(CN_UNROLLED(auto i) { sums[i] = {splat(0.0F), splat(0), wide[i]}; });
  return bad;
}
template <int kVectors, typename Chain>
[[gnu::always_inline]] inline int64_t sum_rows(ExactSums (&sums)[kVectors], int64_t (*wide)[kLanes],
                                               int32_t leaves, const Chain& chain) noexcept {
  if (may_be_quick(leaves)) {
    F32x16 high[kVectors];
    I32x16 low[kVectors];
    I32x16 seen = splat(0);
    repeat<kVectors>(CN_UNROLLED(auto i) {
      high[i] = splat(kHighStart);
      low[i] = low_start(leaves);
    });
    chain(CN_UNROLLED(const auto& leaf) {
      repeat<kVectors>(CN_UNROLLED(auto i) {
        join(high[i], low[i], leaf(i));
        seen = bor(seen, seen, bits(high[i]));
      });
    });
    if (!any_bits(seen, kHighLeft)) {
      repeat<kVectors>(CN_UNROLLED(auto i) { sums[i] = {high[i], low[i], nullptr}; });
      return 0;
    }
  }
  return sum_rows_carefully(sums, wide, chain);
}

}  // namespace colonnade::kernels::CN_ISA
