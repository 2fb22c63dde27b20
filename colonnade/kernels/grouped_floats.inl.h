// Grouped weights whose codes are numbers of floating point (MXFP8): they become f32 in the
// register, exactly, and meet f32 activations in the chain of dense weights.
#pragma once

#include "colonnade/kernels/grouped.inl.h"
#include "colonnade/kernels/leaves.inl.h"

namespace colonnade::kernels::CN_ISA {

// An f16 holds a number of E4M3 divided by 2^8 (its exponent counts from 15, not from 7), and
// converts denormals at no cost. So a weight is that times 2^(e - 127 + 8), which f32 has unless e
// is huge; then the power is multiplied on in two parts.
constexpr float kDoubledE4m3 = 512.0F;  // times that, an f16 is twice the number
constexpr int kHugeExponent = 256 - 9;

struct FloatScales {
  F32x16 scale;  // huge: 2^(e - 128), which meets twice the number; else 2^(e - 119)
  bool huge;
};
template <P16Format F>
inline FloatScales load_float_scales(const uint8_t* block) noexcept {
  const uint8_t* exponents = block + code_bytes(F);
  const F32x16 scale = load_e8m0(exponents);
  const bool huge = any_bits(add(load_u8(exponents), splat(256 - kHugeExponent)), 256);
  return {huge ? scale : mul(scale, splat(kDoubledE4m3)), huge};
}

template <bool kHuge>
inline F32x16 float_weight(F32x16 half, F32x16 scale) noexcept {
  if constexpr (kHuge) half = mul(half, splat(kDoubledE4m3));
  return mul(half, scale);
}

/// on_weight(k, weights of 16 rows) for the four elements of line kLine of a block.
template <int kLine, bool kHuge, typename OnWeight>
[[gnu::always_inline]] inline void line_of_floats(const uint8_t* block, F32x16 scale,
                                                  const OnWeight& on_weight) noexcept {
  const U8x64 line = load_codes_once(block + 64 * kLine);
  const U8x64 even = e4m3_words<0>(line), odd = e4m3_words<1>(line);
  on_weight(Index<4 * kLine>{}, float_weight<kHuge>(f16_words<0>(even), scale));
  on_weight(Index<4 * kLine + 1>{}, float_weight<kHuge>(f16_words<0>(odd), scale));
  on_weight(Index<4 * kLine + 2>{}, float_weight<kHuge>(f16_words<1>(even), scale));
  on_weight(Index<4 * kLine + 3>{}, float_weight<kHuge>(f16_words<1>(odd), scale));
}

/// One block as f32 lines [32][16].
template <P16Format F>
void expand_floats(float* lines, const uint8_t* block, const uint8_t*, ScaleType) noexcept {
  const FloatScales s = load_float_scales<F>(block);
  const auto store_weight = CN_UNROLLED(auto k, F32x16 weight) {
    store(lines + k * kLanes, weight);
  };
  if (s.huge) {
    repeat<8>(
        CN_UNROLLED(auto j) { line_of_floats<decltype(j){}, true>(block, s.scale, store_weight); });
  } else {
    repeat<8>(CN_UNROLLED(auto j) {
      line_of_floats<decltype(j){}, false>(block, s.scale, store_weight);
    });
  }
}

/// The step of a run of any length in the chains of kPanels panels, `stride` bytes apart.
template <P16Format F, int kPanels>
void chain_lines(F32x16 (&acc)[kPanels], const uint8_t* block, int64_t stride, const float* x,
                 int32_t length) noexcept {
  alignas(64) float lines[kBlock * kLanes];
  for (int n = 0; n < kPanels; ++n) {
    expand_floats<F>(lines, block + n * stride, nullptr, {});
    for (int k = 0; k < length; ++k) acc[n] = fma(load(lines + k * kLanes), splat(x[k]), acc[n]);
  }
}

/// The same for a whole block.
template <P16Format F, int kPanels>
[[gnu::always_inline]] inline void chain_floats(F32x16 (&acc)[kPanels], const uint8_t* block,
                                                int64_t stride, const float* x) noexcept {
  FloatScales s[kPanels];
  repeat<kPanels>(CN_UNROLLED(auto n) { s[n] = load_float_scales<F>(block + n * stride); });
  bool huge = false;
  for (const FloatScales& one : s) huge = huge || one.huge;
  if (huge) return chain_lines<F>(acc, block, stride, x, kBlock);
  repeat<8>(CN_UNROLLED(auto j) {
    repeat<kPanels>(CN_UNROLLED(auto n) {
      line_of_floats<decltype(j){}, false>(
          block + n * stride, s[n].scale,
          CN_UNROLLED(auto k, F32x16 weight) { acc[n] = fma(weight, splat(x[k]), acc[n]); });
    });
  });
}

/// on_leaf(leaf) for the leaves of kPanels x 16 rows, in order; leaf(n) is the n-th panel's.
template <P16Format F, int kPanels, typename OnLeaf>
[[gnu::always_inline]] inline void float_leaves(const GroupedView& w, const float* x, int64_t panel,
                                                const OnLeaf& on_leaf) noexcept {
  constexpr int64_t kBytes = block_bytes(F);
  static_assert(F.place != ScalePlace::segment);
  const uint8_t* p = w.panels + panel * w.panel_bytes;
  int64_t b = 0;
  F32x16 acc[kPanels];
  repeat<kPanels>(CN_UNROLLED(auto n) { acc[n] = splat(0.0F); });
  for (int32_t s = 0; s < w.plan.segment_count; ++s) {
    for (int32_t i = 0; i < w.plan.segments[s].blocks; ++i, ++b, p += kBytes) {
      repeat<kPanels>(CN_UNROLLED(auto n) {
        repeat<(kBytes + 63) / 64>(
            CN_UNROLLED(auto line) { prefetch_stream(p + n * w.panel_bytes + 64 * line); });
      });
      const Run run = w.plan.runs[b];
      if (run.length == kBlock) {
        chain_floats<F>(acc, p, w.panel_bytes, x + run.k_begin);
      } else {
        chain_lines<F>(acc, p, w.panel_bytes, x + run.k_begin, run.length);
      }
    }
    if (w.plan.segments[s].ends_leaf == 0) continue;
    on_leaf(CN_UNROLLED(auto n) { return acc[n]; });
    repeat<kPanels>(CN_UNROLLED(auto n) { acc[n] = splat(0.0F); });
  }
}

template <P16Format F, int kPanels>
void decode_floats(const GroupedView& w, const float* x, int64_t panel,
                   const ProductOut& out) noexcept {
  const auto row_of = [&](int n) noexcept { return (panel + n) * kLanes; };
  const auto rows_of = [&](int n) noexcept {
    return w.rows - row_of(n) < kLanes ? w.rows - row_of(n) : int64_t{kLanes};
  };
  if (out.exact != 0) {
    alignas(64) int64_t wide[kPanels][kLanes];
    ExactSums sums[kPanels];
    const int64_t bad = sum_rows(
        sums, wide, w.plan.leaves,
        CN_UNROLLED(const auto& on_leaf) { float_leaves<F, kPanels>(w, x, panel, on_leaf); });
    if (bad != 0) *out.bad_leaves += bad;
    for (int n = 0; n < kPanels; ++n) write_exact(out, sums[n], 0, row_of(n), rows_of(n));
    return;
  }
  F32x16 total[kPanels];
  repeat<kPanels>(CN_UNROLLED(auto n) { total[n] = splat(-0.0F); });
  float_leaves<F, kPanels>(
      w, x, panel, CN_UNROLLED(const auto& leaf) {
        repeat<kPanels>(CN_UNROLLED(auto n) { total[n] = add(total[n], leaf(n)); });
      });
  for (int n = 0; n < kPanels; ++n) write_out(out, total[n], 0, row_of(n), rows_of(n));
}

// Two panels at a time: a line has four steps of a chain, which take 16 cycles one after the other,
// and 12 cycles of other work.
template <P16Format F>
void decode_float_panels(const GroupedView& w, const float* x, Span panels,
                         const ProductOut& out) noexcept {
  int64_t panel = panels.begin;
  for (; panel + 2 <= panels.end; panel += 2) decode_floats<F, 2>(w, x, panel, out);
  if (panel < panels.end) decode_floats<F, 1>(w, x, panel, out);
}

}  // namespace colonnade::kernels::CN_ISA
