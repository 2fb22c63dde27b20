// Grouped weights in tier f32: blocks become f32 lines, then the chain of dense weights.
#pragma once

#include "colonnade/kernels/dense.inl.h"

namespace colonnade::kernels::CN_ISA {

/// One block of a grouped panel as f32 lines [32][16]: w = fma(scale, code - zero, offset), scale
/// exact where it has two levels.
template <P16Format F>
void expand_f32(float* lines, const uint8_t* block, const uint8_t* tail) noexcept {
  const BlockScales s = load_scales<F>(block, tail);
  F32x16 scale0 = s.scale, scale1 = s.scale;
  if constexpr (F.levels == 2) {
    scale0 = mul(s.scale, to_f32(s.sub0));
    scale1 = F.subgroups == 2 ? mul(s.scale, to_f32(s.sub1)) : scale0;
  }
  const F32x16 offset = F.offset ? s.offset : splat(0.0F);
  repeat<8>(CN_UNROLLED(auto j) {
    constexpr int kLine = decltype(j){};
    alignas(64) uint8_t bytes[64];
    store_codes(bytes, code_line<F.bits, kLine>(block));
    const I32x16 quads = load(reinterpret_cast<const int32_t*>(bytes));
    const F32x16 scale = kLine < 4 ? scale0 : scale1;
    repeat<4>(CN_UNROLLED(auto i) {
      constexpr int kShift = 8 * decltype(i){};
      const I32x16 code = sub(band(shr<kShift>(quads), splat(255)), splat(F.zero));
      const F32x16 value = F.offset ? fma(scale, to_f32(code), offset) : mul(scale, to_f32(code));
      store(lines + (4 * kLine + i) * kLanes, value);
    });
  });
}

/// What is left of a packed format once its blocks are f32.
struct F32Packing {
  void (*expand)(float* lines, const uint8_t* block, const uint8_t* tail) noexcept;
  int64_t block_bytes;
  int64_t tail_bytes;  // behind a segment
};
template <P16Format F>
constexpr F32Packing f32_packing_of() noexcept {
  return {expand_f32<F>, block_bytes(F), segment_tail_bytes(F)};
}

/// Where a walk over packed blocks stands; offsets are those of every panel.
struct PackedWalk {
  int64_t block = 0;
  int64_t offset = 0;
  int32_t segment = 0;
  int32_t in_segment = 0;
};

/// Expands blocks from `walk` on, for one panel, up to the end of a leaf or of the lines; moves
/// `walk` behind them. Returns the elements along K.
inline int64_t expand_blocks(float* lines, const uint8_t* panel, const GroupedView& w,
                             const F32Packing& packing, PackedWalk& walk, bool& ends) noexcept {
  int64_t count = 0;
  ends = false;
  while (count < kChunkK && !ends) {
    const Segment segment = w.plan.segments[walk.segment];
    const int64_t tail = (segment.blocks - walk.in_segment) * packing.block_bytes;
    prefetch_stream(panel + walk.offset);
    packing.expand(lines + count * kLanes, panel + walk.offset, panel + walk.offset + tail);
    count += w.plan.runs[walk.block].length;  // a short run's padding is written over
    ++walk.block;
    walk.offset += packing.block_bytes;
    if (++walk.in_segment == segment.blocks) {
      walk.offset += packing.tail_bytes;
      walk.in_segment = 0;
      ++walk.segment;
      ends = segment.ends_leaf != 0;
    }
  }
  return count;
}

/// All of K for the panels of a strip. Panels that are not there repeat the first.
inline int64_t grouped_f32_strip(const GroupedView& w, const DenseJob& job,
                                 const F32Packing& packing, Span panels) noexcept {
  int64_t bad = 0;
  DenseChunk chunk = {0, 0, true, false, true};
  PackedWalk walk;
  while (walk.segment < w.plan.segment_count) {
    PackedWalk next;
    chunk.k = w.plan.runs[walk.block].k_begin;
    for (int64_t first = panels.begin; first < panels.end; first += kDensePanels) {
      const DenseScratch s =
          carve_dense(job.scratch, static_cast<int>((first - panels.begin) / kDensePanels));
      for (int n = 0; n < kDensePanels; ++n) {
        next = walk;
        const int64_t panel = first + n < panels.end ? first + n : first;
        chunk.count =
            expand_blocks(s.lines + n * kLinesK * kLanes, w.panels + panel * w.panel_bytes, w,
                          packing, next, chunk.ends_leaf);
      }
      bad += run_dense_chunk(job, s, chunk);
    }
    walk = next;
    chunk.fresh = chunk.ends_leaf;
    chunk.first_leaf = chunk.first_leaf && !chunk.ends_leaf;
  }
  return bad;
}

inline void grouped_f32(const GroupedView& w, const float* x, int64_t x_stride, int64_t tokens,
                        Span panels, const ProductOut& out, Scratch scratch,
                        const F32Packing& packing) noexcept {
  for_strips({x, x_stride, {}, &out, scratch, w.rows}, tokens, panels,
             [&](const DenseJob& job, Span strip) noexcept {
               return grouped_f32_strip(w, job, packing, strip);
             });
}

}  // namespace colonnade::kernels::CN_ISA
