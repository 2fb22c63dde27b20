// Grouped weights times one token: the packed panel is read once, codes are expanded in registers.
#pragma once

#include "colonnade/kernels/grouped.inl.h"
#include "colonnade/kernels/leaves.inl.h"

namespace colonnade::kernels::CN_ISA {

// Two integer accumulators (lines 0..3 and 4..7, which may be sub-groups): one would wait on its
// own latency. Inlined always: a call would store and reload them at every line.
template <P16Format F>
[[gnu::always_inline]] inline void dot_block(const CodeLines<F>& block, const int8_t* q, I32x16& i0,
                                             I32x16& i1) noexcept {
  i0 = dot<F>(i0, codes_of<F, 0>(block), q);
  i1 = dot<F>(i1, codes_of<F, 4>(block), q + 16);
  i0 = dot<F>(i0, codes_of<F, 1>(block), q + 4);
  i1 = dot<F>(i1, codes_of<F, 5>(block), q + 20);
  i0 = dot<F>(i0, codes_of<F, 2>(block), q + 8);
  i1 = dot<F>(i1, codes_of<F, 6>(block), q + 24);
  i0 = dot<F>(i0, codes_of<F, 3>(block), q + 12);
  i1 = dot<F>(i1, codes_of<F, 7>(block), q + 28);
}

template <P16Format F, bool kInt15>
[[gnu::always_inline]] inline F32x16 chain_block(F32x16 acc, const uint8_t* block,
                                                 SegmentScales segment, const CodesView& x,
                                                 int64_t b) noexcept {
  constexpr int kZero = dot_zero<F>();
  const CodeLines<F> codes(block);
  I32x16 i0 = splat(-kZero * x.half_sums[2 * b]);
  I32x16 i1 = splat(-kZero * x.half_sums[2 * b + 1]);
  if constexpr (kInt15) {
    I32x16 high0 = splat(0), high1 = splat(0);
    dot_block<F>(codes, x.hi + kBlock * b, high0, high1);
    i0 = add(i0, shl<7>(high0));
    i1 = add(i1, shl<7>(high1));
    dot_block<F>(codes, x.lo + kBlock * b, i0, i1);
  } else {
    dot_block<F>(codes, x.hi + kBlock * b, i0, i1);
  }
  const BlockScales s = load_scales<F>(block, segment);
  const F32x16 step = splat(x.scale[b]);
  if constexpr (two_scales(F)) {
    acc = fma(to_f32(i0), mul(s.scale, step), acc);
    return fma(to_f32(i1), mul(s.scale1, step), acc);
  }
  acc = fma(run_value<F, kInt15>(i0, i1, s), mul(s.scale, step), acc);
  if constexpr (F.offset && in_pairs(F)) {
    return fma(minimum_value<kInt15>(x.half_sums + 2 * b, s.min_pairs), mul(s.offset, step), acc);
  } else if constexpr (F.offset) {
    return fma(s.offset, splat(x.scaled_sum[b]), acc);
  } else {
    return acc;
  }
}

/// on_leaf(leaf) for the leaves of 16 rows, in order.
template <P16Format F, bool kInt15, typename OnLeaf>
[[gnu::always_inline]] inline void decode_leaves(const GroupedView& w, const CodesView& x,
                                                 int64_t panel, const OnLeaf& on_leaf) noexcept {
  constexpr int64_t kBytes = block_bytes(F);
  const uint8_t* p = w.panels + panel * w.panel_bytes;
  F32x16 acc = splat(0.0F);
  int64_t b = 0;
  for (int32_t s = 0; s < w.plan.segment_count; ++s) {
    const Segment segment = w.plan.segments[s];
    const uint8_t* tail = p + segment.blocks * kBytes;
    const SegmentScales scales = load_segment<F>(tail, w.scales);
    for (; p != tail; p += kBytes, ++b) {
      repeat<(kBytes + 63) / 64>(CN_UNROLLED(auto line) { prefetch_stream(p + 64 * line); });
      acc = chain_block<F, kInt15>(acc, p, scales, x, b);
    }
    p += segment_tail_bytes(F, w.scales);
    if (segment.ends_leaf == 0) continue;
    on_leaf(acc);
    acc = splat(0.0F);
  }
}

template <P16Format F, bool kInt15>
void decode_panel(const GroupedView& w, const CodesView& x, int64_t panel,
                  const ProductOut& out) noexcept {
  const int64_t row = panel * kLanes;
  const int64_t rows = w.rows - row < kLanes ? w.rows - row : kLanes;
  if (out.exact != 0) {
    alignas(64) int64_t wide[1][kLanes];
    ExactSums sums[1];
    const int64_t bad = sum_rows(
        sums, wide, w.plan.leaves, CN_UNROLLED(const auto& on_leaf) {
          decode_leaves<F, kInt15>(
              w, x, panel, CN_UNROLLED(F32x16 acc) { on_leaf(CN_UNROLLED(auto) { return acc; }); });
        });
    if (bad != 0) *out.bad_leaves += bad;
    write_exact(out, sums[0], 0, row, rows);
    return;
  }
  F32x16 total = splat(-0.0F);  // -0 + x is x, also for x = -0
  decode_leaves<F, kInt15>(
      w, x, panel, CN_UNROLLED(F32x16 acc) { total = add(total, acc); });
  write_out(out, total, 0, row, rows);
}

template <P16Format F>
void decode_panels(const GroupedView& w, const CodesView& x, Span panels,
                   const ProductOut& out) noexcept {
  for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
    if (x.lo != nullptr) {
      decode_panel<F, true>(w, x, panel, out);
    } else {
      decode_panel<F, false>(w, x, panel, out);
    }
  }
}

}  // namespace colonnade::kernels::CN_ISA
