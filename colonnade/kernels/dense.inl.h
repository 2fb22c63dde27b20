// Dense weights, and grouped ones in tier f32: one f32 FMA chain per output element and leaf, in K
// order.
#pragma once

#include "colonnade/kernels/grouped.inl.h"
#include "colonnade/kernels/unroll.inl.h"

namespace colonnade::kernels::CN_ISA {

constexpr int kChunkK =
    128;  // elements along K that are expanded to f32 at a time: 8 KiB per panel

/// The two elements along K of a 16-bit line.
template <DenseKind K>
inline void split_line(const uint8_t* line, F32x16& even, F32x16& odd) noexcept {
  const I32x16 words = load(reinterpret_cast<const int32_t*>(line));
  if constexpr (K == DenseKind::bf16) {
    even = from_bits(shl<16>(words));
    odd = from_bits(band(words, splat(static_cast<int32_t>(0xffff0000U))));
  } else {
    even = f16_low(words);
    odd = f16_low(shr<16>(words));
  }
}

/// accumulators [rows, kPanels * 16] over `count` elements of lines w [kPanels][kChunkK][16] f32; x
/// row m is x_stride on.
template <int kRows, int kPanels>
void dense_tile(float* accumulators, const float* w, int64_t panel_stride, const float* x,
                int64_t x_stride, int64_t count, bool fresh) noexcept {
  F32x16 acc[kRows][kPanels];
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(CN_UNROLLED(auto n) {
      acc[m][n] = fresh ? splat(0.0F) : load(accumulators + (m * kPanels + n) * kLanes);
    });
  });
  // Rows in threes: [base], [base + stride], [base + 2 stride] are addressing modes, so that 12
  // rows take 4 address registers and not 12.
  constexpr int kBases = (kRows + 2) / 3;
  const float* base[kBases];
  repeat<kBases>(CN_UNROLLED(auto i) { base[i] = x + 3 * i * x_stride; });
  for (int64_t k = 0; k < count; ++k) {
    F32x16 line[kPanels];
    repeat<kPanels>(CN_UNROLLED(auto n) { line[n] = load(w + n * panel_stride + k * kLanes); });
    repeat<kRows>(CN_UNROLLED(auto m) {
      const F32x16 value = splat(base[m / 3][m % 3 * x_stride]);
      repeat<kPanels>(CN_UNROLLED(auto n) { acc[m][n] = fma(line[n], value, acc[m][n]); });
    });
    repeat<kBases>(CN_UNROLLED(auto i) { ++base[i]; });
  }
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(
        CN_UNROLLED(auto n) { store(accumulators + (m * kPanels + n) * kLanes, acc[m][n]); });
  });
}

struct DenseScratch {
  float* lines;           // [kDensePanels][kChunkK][16]
  float* accumulators;    // [tile tokens, panels * 16]
  float* totals;          // [tile tokens, panels * 16]
  int64_t* exact_totals;  // [tile tokens, panels * 16]
};
constexpr int64_t kDenseTokenTile = 256;
static_assert(kDensePanels * kLanes * (kChunkK * 4 + kDenseTokenTile * 16) <= kScratchBytes);

inline DenseScratch carve_dense(Scratch scratch) noexcept {
  constexpr int64_t kLanesTile = kDenseTokenTile * kDensePanels * kLanes;
  auto* p = reinterpret_cast<float*>(scratch.data);
  float* acc = p + kDensePanels * kChunkK * kLanes;
  return {p, acc, acc + kLanesTile, reinterpret_cast<int64_t*>(acc + 2 * kLanesTile)};
}

/// A product in the making: the token tile, its sums and where it goes.
struct DenseJob {
  const float* x;
  int64_t x_stride;
  Span tokens;
  const ProductOut* out;
  DenseScratch scratch;
};

/// Elements [k, k + count) of a leaf for all tokens of the tile; `w` holds their lines.
struct DenseChunk {
  const float* w;
  int64_t panel_stride;
  int64_t k;
  int64_t count;
  bool fresh;
  bool ends_leaf;
  bool first_leaf;
};

inline int64_t run_dense_chunk(const DenseJob& job, const DenseChunk& c) noexcept {
  constexpr int kWidth = kDensePanels * kLanes;
  const int64_t count = job.tokens.end - job.tokens.begin;
  int64_t bad = 0;
  for (int64_t m = 0; m < count;) {
    const float* x = job.x + (job.tokens.begin + m) * job.x_stride + c.k;
    float* acc = job.scratch.accumulators + m * kWidth;
    int64_t rows = 1;
    if (count - m >= kDenseRows) {
      dense_tile<kDenseRows, kDensePanels>(acc, c.w, c.panel_stride, x, job.x_stride, c.count,
                                           c.fresh);
      rows = kDenseRows;
    } else if (count - m >= kDenseRows / 3 && kDenseRows > 3) {
      dense_tile<kDenseRows / 3, kDensePanels>(acc, c.w, c.panel_stride, x, job.x_stride, c.count,
                                               c.fresh);
      rows = kDenseRows / 3;
    } else {
      dense_tile<1, kDensePanels>(acc, c.w, c.panel_stride, x, job.x_stride, c.count, c.fresh);
    }
    if (c.ends_leaf) {
      for (int64_t lane = m * kWidth; lane < (m + rows) * kWidth; lane += kLanes) {
        const F32x16 leaf = load(job.scratch.accumulators + lane);
        if (job.out->exact != 0) {
          bad += end_leaf_exact(job.scratch.exact_totals + lane, leaf);
        } else {
          end_leaf_f32(job.scratch.totals + lane, leaf, c.first_leaf);
        }
      }
    }
    m += rows;
  }
  return bad;
}

inline void begin_group(const DenseJob& job) noexcept {
  if (job.out->exact == 0) return;
  const int64_t lanes = (job.tokens.end - job.tokens.begin) * kDensePanels * kLanes;
  auto* words = reinterpret_cast<int32_t*>(job.scratch.exact_totals);
  for (int64_t i = 0; i < 2 * lanes; i += kLanes) store(words + i, splat(0));
}

inline void write_dense_group(const DenseJob& job, int64_t panel, int present,
                              int64_t all_rows) noexcept {
  for (int64_t t = 0; t < job.tokens.end - job.tokens.begin; ++t) {
    for (int n = 0; n < present; ++n) {
      const int64_t row = (panel + n) * kLanes;
      const int64_t rows = all_rows - row < kLanes ? all_rows - row : kLanes;
      const int64_t lane = (t * kDensePanels + n) * kLanes;
      if (job.out->exact != 0) {
        write_exact(*job.out, job.scratch.exact_totals + lane, job.tokens.begin + t, row, rows);
      } else {
        write_out(*job.out, load(job.scratch.totals + lane), job.tokens.begin + t, row, rows);
      }
    }
  }
}

/// Where panel `panel` of a dense weight begins, and how far its next line is.
template <DenseKind K>
inline const uint8_t* dense_panel(const DenseView& w, int64_t panel,
                                  int64_t* line_stride) noexcept {
  if constexpr (K == DenseKind::f32) {
    *line_stride = 64;
    return w.panels + panel * w.panel_bytes;
  } else {
    *line_stride = 256;
    return w.panels + panel / 4 * 4 * w.panel_bytes + panel % 4 * 64;
  }
}

template <DenseKind K>
void many_dense(const DenseView& w, const DenseJob& job, Span panels) noexcept {
  int64_t bad = 0;
  for (int64_t panel = panels.begin; panel < panels.end; panel += kDensePanels) {
    const int present =
        panels.end - panel < kDensePanels ? static_cast<int>(panels.end - panel) : kDensePanels;
    begin_group(job);
    const uint8_t* p[kDensePanels];
    int64_t line_stride = 0;
    for (int n = 0; n < kDensePanels; ++n) {
      p[n] = dense_panel<K>(w, panel + (n < present ? n : 0), &line_stride);
    }
    int64_t k = 0;
    for (int32_t leaf = 0; leaf < w.leaves; ++leaf) {
      bool fresh = true;
      while (k < w.leaf_ends[leaf]) {
        const int64_t left = w.leaf_ends[leaf] - k;
        const int64_t count = left < kChunkK ? left : kChunkK;
        for (int n = 0; n < kDensePanels; ++n) {
          float* lines = job.scratch.lines + n * kChunkK * kLanes;
          for (int64_t i = 0; i < count; i += K == DenseKind::f32 ? 1 : 2, p[n] += line_stride) {
            F32x16 even, odd;
            if constexpr (K == DenseKind::f32) {
              even = load(reinterpret_cast<const float*>(p[n]));
            } else {
              split_line<K>(p[n], even, odd);
              store(lines + (i + 1) * kLanes, odd);
            }
            store(lines + i * kLanes, even);
          }
        }
        bad += run_dense_chunk(
            job, {job.scratch.lines, kChunkK * kLanes, k, count, fresh, left == count, leaf == 0});
        fresh = false;
        k += count;
      }
    }
    write_dense_group(job, panel, present, w.rows);
  }
  if (bad != 0) *job.out->bad_leaves += bad;
}

/// One token. 16-bit: the four interleaved panels together, f32: one panel.
template <DenseKind K>
void decode_dense(const DenseView& w, const float* x, Span panels, const ProductOut& out) noexcept {
  constexpr int kGroup = K == DenseKind::f32 ? 1 : 4;
  for (int64_t panel = panels.begin; panel < panels.end; panel += kGroup) {
    const uint8_t* p = w.panels + panel * w.panel_bytes;
    alignas(64) int64_t exact[kGroup][kLanes] = {};
    alignas(64) float total[kGroup][kLanes] = {};
    int64_t bad = 0, k = 0;
    for (int32_t leaf = 0; leaf < w.leaves; ++leaf) {
      F32x16 acc[kGroup];
      repeat<kGroup>(CN_UNROLLED(auto n) { acc[n] = splat(0.0F); });
      const int64_t end = w.leaf_ends[leaf];
      if constexpr (K == DenseKind::f32) {
        for (; k < end; ++k, p += 64) {
          prefetch(p + 1024);
          acc[0] = fma(load(reinterpret_cast<const float*>(p)), splat(x[k]), acc[0]);
        }
      } else {
        for (; k + 1 < end; k += 2, p += 256) {
          repeat<kGroup>(CN_UNROLLED(auto n) {
            F32x16 even, odd;
            prefetch(p + 1536 + 64 * n);
            split_line<K>(p + 64 * n, even, odd);
            acc[n] = fma(even, splat(x[k]), acc[n]);
            acc[n] = fma(odd, splat(x[k + 1]), acc[n]);
          });
        }
        if (k < end) {  // an odd leaf: half a line
          repeat<kGroup>(CN_UNROLLED(auto n) {
            F32x16 even, odd;
            split_line<K>(p + 64 * n, even, odd);
            acc[n] = fma(even, splat(x[k]), acc[n]);
          });
          ++k;
          p += 256;
        }
      }
      for (int n = 0; n < kGroup; ++n) {
        if (out.exact != 0) {
          bad += end_leaf_exact(exact[n], acc[n]);
        } else {
          end_leaf_f32(total[n], acc[n], leaf == 0);
        }
      }
    }
    if (bad != 0) *out.bad_leaves += bad;
    for (int n = 0; n < kGroup && (panel + n) * kLanes < w.rows; ++n) {
      const int64_t row = (panel + n) * kLanes;
      const int64_t rows = w.rows - row < kLanes ? w.rows - row : kLanes;
      if (out.exact != 0) {
        write_exact(out, exact[n], 0, row, rows);
      } else {
        write_out(out, load(total[n]), 0, row, rows);
      }
    }
  }
}

template <DenseKind K>
void dense_panels(const DenseView& w, const float* x, int64_t x_stride, int64_t tokens, Span panels,
                  const ProductOut& out, Scratch scratch) noexcept {
  if (tokens == 1) {
    decode_dense<K>(w, x, panels, out);
    return;
  }
  for (int64_t t = 0; t < tokens; t += kDenseTokenTile) {
    const Span tile = {t, tokens - t < kDenseTokenTile ? tokens : t + kDenseTokenTile};
    many_dense<K>(w, {x, x_stride, tile, &out, carve_dense(scratch)}, panels);
  }
}

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

/// All of K for up to kDensePanels panels; a panel that is not there repeats the first.
inline int64_t grouped_f32_group(const GroupedView& w, const DenseJob& job,
                                 const F32Packing& packing, Span panels) noexcept {
  const uint8_t* p[kDensePanels];
  for (int n = 0; n < kDensePanels; ++n) {
    const int64_t panel = panels.begin + n < panels.end ? panels.begin + n : panels.begin;
    p[n] = w.panels + panel * w.panel_bytes;
  }
  int64_t b = 0, bad = 0;
  bool fresh = true, first_leaf = true;
  for (int32_t g = 0; g < w.plan.segment_count; ++g) {
    const Segment segment = w.plan.segments[g];
    for (int32_t i = 0; i < segment.blocks; ++i, ++b) {
      for (int n = 0; n < kDensePanels; ++n) {
        packing.expand(job.scratch.lines + n * kChunkK * kLanes, p[n],
                       p[n] + (segment.blocks - i) * packing.block_bytes);
        p[n] += packing.block_bytes;
      }
      const Run run = w.plan.runs[b];
      const bool ends = segment.ends_leaf != 0 && i + 1 == segment.blocks;
      bad += run_dense_chunk(job, {job.scratch.lines, kChunkK * kLanes, run.k_begin, run.length,
                                   fresh, ends, first_leaf});
      fresh = ends;
      first_leaf = first_leaf && !ends;
    }
    for (int n = 0; n < kDensePanels; ++n) p[n] += packing.tail_bytes;
  }
  return bad;
}

inline void grouped_f32(const GroupedView& w, const float* x, int64_t x_stride, int64_t tokens,
                        Span panels, const ProductOut& out, Scratch scratch,
                        const F32Packing& packing) noexcept {
  int64_t bad = 0;
  for (int64_t t = 0; t < tokens; t += kDenseTokenTile) {
    const Span tile = {t, tokens - t < kDenseTokenTile ? tokens : t + kDenseTokenTile};
    const DenseJob job = {x, x_stride, tile, &out, carve_dense(scratch)};
    for (int64_t panel = panels.begin; panel < panels.end; panel += kDensePanels) {
      const Span group = {panel,
                          panels.end - panel < kDensePanels ? panels.end : panel + kDensePanels};
      begin_group(job);
      bad += grouped_f32_group(w, job, packing, group);
      write_dense_group(job, panel, static_cast<int>(group.end - group.begin), w.rows);
    }
  }
  if (bad != 0) *out.bad_leaves += bad;
}

}  // namespace colonnade::kernels::CN_ISA
