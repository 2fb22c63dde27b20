// Grouped weights in tier f32: blocks become f32 lines, then the chain of dense weights.
#pragma once

#include "colonnade/kernels/dense.inl.h"
#include "colonnade/kernels/grouped_floats.inl.h"

namespace colonnade::kernels::CN_ISA {

/// One block of a grouped panel as f32 lines [32][16]: w = fma(scale, code - zero, offset), scale
/// exact where it has two levels.
template <P16Format F>
void expand_f32(float* lines, const uint8_t* block, const uint8_t* tail, ScaleType type) noexcept {
  const BlockScales s = load_scales<F>(block, load_segment<F>(tail, type));
  F32x16 scale0 = s.scale, scale1 = s.scale, offset0 = s.offset, offset1 = s.offset;
  if constexpr (two_scales(F)) scale1 = s.scale1;
  if constexpr (F.levels == 2) {
    scale0 = mul(s.scale, to_f32(sub_scale<F, 0>(s)));
    scale1 = mul(s.scale, to_f32(sub_scale<F, 1>(s)));
  }
  if constexpr (F.offset && in_pairs(F)) {
    offset0 = mul(s.offset, to_f32(sub_minimum<0>(s.min_pairs)));
    offset1 = mul(s.offset, to_f32(sub_minimum<1>(s.min_pairs)));
  }
  const CodeLines<F> codes(block);
  repeat<8>(CN_UNROLLED(auto j) {
    constexpr int kLine = decltype(j){};
    alignas(64) uint8_t bytes[64];
    store_codes(bytes, codes_of<F, kLine>(codes));
    const I32x16 quads = load(reinterpret_cast<const int32_t*>(bytes));
    const F32x16 scale = kLine < 4 ? scale0 : scale1, offset = kLine < 4 ? offset0 : offset1;
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
  void (*expand)(float* lines, const uint8_t* block, const uint8_t* tail, ScaleType type) noexcept;
  int64_t block_bytes;
  int64_t tail_bytes;  // behind a segment
  ScaleType scales;
};
template <P16Format F>
constexpr F32Packing f32_packing_of(ScaleType type) noexcept {
  if constexpr (float_codes(F)) {
    return {expand_floats<F>, block_bytes(F), segment_tail_bytes(F, type), type};
  } else {
    return {expand_f32<F>, block_bytes(F), segment_tail_bytes(F, type), type};
  }
}

/// Where a walk over packed blocks stands; offsets are those of every panel.
struct PackedWalk {
  int64_t block = 0;
  int64_t offset = 0;
  int32_t segment = 0;
  int32_t in_segment = 0;
};

/// Expands blocks from `walk` on, for one panel, until the next leaf might not fit the lines; moves
/// `walk` behind them. The chunk that they make, without its `fresh`.
inline DenseChunk expand_blocks(float* lines, const uint8_t* panel, const GroupedView& w,
                                const F32Packing& packing, PackedWalk& walk) noexcept {
  DenseChunk chunk;
  chunk.k = w.plan.runs[walk.block].k_begin;
  int64_t count = 0, ended = 0;  // elements; those of leaves that have ended
  bool ends = false;
  while (count < kChunkK) {
    const Segment segment = w.plan.segments[walk.segment];
    const int64_t tail = (segment.blocks - walk.in_segment) * packing.block_bytes;
    const uint8_t* block = panel + walk.offset;
    prefetch_stream(block);
    packing.expand(lines + count * kLanes, block, block + tail, packing.scales);
    count += w.plan.runs[walk.block].length;  // a short run's padding is written over
    ++walk.block;
    walk.offset += packing.block_bytes;
    ends = false;
    if (++walk.in_segment == segment.blocks) {
      walk.offset += packing.tail_bytes;
      walk.in_segment = 0;
      ++walk.segment;
      ends = segment.ends_leaf != 0;
    }
    if (!ends) continue;
    chunk.add(count - ended);
    ended = count;
    if (walk.segment == w.plan.segment_count || !chunk.fits(1)) break;
  }
  if (!ends) chunk.add(count - ended);
  chunk.ends = ends;
  return chunk;
}

/// All of K for panels of a strip and the wanted tokens. Panels that are not there repeat the
/// first.
template <Joining J>
int64_t grouped_f32_strip(const GroupedView& w, DenseJob& job, const F32Packing& packing,
                          Span panels, Span wanted) noexcept {
  int64_t bad = 0;
  PackedWalk walk;
  for (bool fresh = true; walk.segment < w.plan.segment_count;) {
    PackedWalk next;
    DenseChunk chunk;
    for (int64_t first = panels.begin; first < panels.end; first += kDensePanels) {
      for (int n = 0; n < kDensePanels; ++n) {
        next = walk;
        const int64_t panel = first + n < panels.end ? first + n : first;
        chunk = expand_blocks(job.lines(n), w.panels + panel * w.panel_bytes, w, packing, next);
      }
      chunk.fresh = fresh;
      bad += run_dense_chunk<J>(job, job.group_of(first), chunk, wanted);
    }
    walk = next;
    fresh = chunk.ends;
  }
  return bad;
}

inline void grouped_f32(const GroupedView& w, const float* x, int64_t x_stride, int64_t tokens,
                        Span panels, const ProductOut& out, Scratch scratch,
                        const F32Packing& packing) noexcept {
  for_strips({x, x_stride, {}, &out, scratch, w.rows, w.plan.leaves, 0, {}}, tokens, panels,
             [&]<Joining J>(DenseJob& job, Span group, Span wanted) noexcept {
               return grouped_f32_strip<J>(w, job, packing, group, wanted);
             });
}

/// Row `row` of a weight as f32, y [K].
inline void grouped_row_of(const GroupedView& w, int64_t row, float* y,
                           const F32Packing& packing) noexcept {
  const uint8_t* p = w.panels + row / kLanes * w.panel_bytes;
  alignas(64) float lines[kBlock * kLanes];
  int64_t b = 0;
  for (int32_t g = 0; g < w.plan.segment_count; ++g) {
    const uint8_t* tail = p + w.plan.segments[g].blocks * packing.block_bytes;
    for (; p != tail; p += packing.block_bytes, ++b) {
      packing.expand(lines, p, tail, packing.scales);
      const Run run = w.plan.runs[b];
      for (int32_t i = 0; i < run.length; ++i) {
        y[run.k_begin + i] = lines[i * kLanes + row % kLanes];
      }
    }
    p += packing.tail_bytes;
  }
}

}  // namespace colonnade::kernels::CN_ISA
