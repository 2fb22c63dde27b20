// Dense weights: one f32 FMA chain per output element and leaf, in K order.
#pragma once

#include "colonnade/kernels/grouped.inl.h"
#include "colonnade/kernels/unroll.inl.h"

namespace colonnade::kernels::CN_ISA {

constexpr int kChunkK = 128;  // elements along K expanded to f32 at a time: 8 KiB per panel

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

// Column groups (kDensePanels panels each) that meet a slice of the activations while it is in L2:
// all of a token tile's activations do not fit there.
constexpr int kStripGroups = 4;
constexpr int kStripPanels = kStripGroups * kDensePanels;
constexpr int64_t kDenseTokenTile = 252;  // a multiple of every row count of a register tile

struct DenseScratch {
  float* lines;           // [kDensePanels][kLinesK][16]
  float* accumulators;    // [tile tokens, kDensePanels * 16]
  float* totals;          // the same
  int64_t* exact_totals;  // the same
};
constexpr int64_t kLinesK = kChunkK + kBlock;  // an expanded block may begin right before its end
constexpr int64_t kDenseLanes = kDenseTokenTile * kDensePanels * kLanes;
static_assert(kDensePanels * kLanes * kLinesK * 4 + kStripGroups * kDenseLanes * 16 <=
              kScratchBytes);

/// Lines are shared, sums are each column group's own.
inline DenseScratch carve_dense(Scratch scratch, int group) noexcept {
  auto* lines = reinterpret_cast<float*>(scratch.data);
  auto* sums = lines + kDensePanels * kLinesK * kLanes + group * 4 * kDenseLanes;
  return {lines, sums, sums + kDenseLanes, reinterpret_cast<int64_t*>(sums + 2 * kDenseLanes)};
}

/// A product in the making: the token tile and where it goes.
struct DenseJob {
  const float* x;
  int64_t x_stride;
  Span tokens;
  const ProductOut* out;
  Scratch scratch;
  int64_t rows;  // of the weight
};

/// Elements [k, k + count) of a leaf for all tokens of the tile; scratch holds their lines.
struct DenseChunk {
  int64_t k;
  int64_t count;
  bool fresh;
  bool ends_leaf;
  bool first_leaf;
};

template <int kRows>
inline void dense_rows(const DenseJob& job, const DenseScratch& s, const DenseChunk& c,
                       int64_t m) noexcept {
  dense_tile<kRows, kDensePanels>(
      s.accumulators + m * kDensePanels * kLanes, s.lines, kLinesK * kLanes,
      job.x + (job.tokens.begin + m) * job.x_stride + c.k, job.x_stride, c.count, c.fresh);
}

/// The chunk in the lines meets all tokens. Returns how many leaves were out of range.
inline int64_t run_dense_chunk(const DenseJob& job, const DenseScratch& s,
                               const DenseChunk& c) noexcept {
  constexpr int kWidth = kDensePanels * kLanes;
  constexpr int kFewer = kDenseRows > 3 ? kDenseRows / 3 : 1;
  const int64_t count = job.tokens.end - job.tokens.begin;
  int64_t bad = 0;
  for (int64_t m = 0; m < count;) {
    const int64_t left = count - m;
    const int64_t rows = left >= kDenseRows ? kDenseRows : left >= kFewer ? kFewer : 1;
    if (rows == kDenseRows) {
      dense_rows<kDenseRows>(job, s, c, m);
    } else if (rows == kFewer) {
      dense_rows<kFewer>(job, s, c, m);
    } else {
      dense_rows<1>(job, s, c, m);
    }
    if (c.ends_leaf) {
      for (int64_t lane = m * kWidth; lane < (m + rows) * kWidth; lane += kLanes) {
        const F32x16 leaf = load(s.accumulators + lane);
        if (job.out->exact != 0) {
          bad += end_leaf_exact(s.exact_totals + lane, leaf);
        } else {
          end_leaf_f32(s.totals + lane, leaf, c.first_leaf);
        }
      }
    }
    m += rows;
  }
  return bad;
}

inline void begin_strip(const DenseJob& job) noexcept {
  if (job.out->exact == 0) return;
  const int64_t lanes = (job.tokens.end - job.tokens.begin) * kDensePanels * kLanes;
  for (int group = 0; group < kStripGroups; ++group) {
    auto* words = reinterpret_cast<int32_t*>(carve_dense(job.scratch, group).exact_totals);
    for (int64_t i = 0; i < 2 * lanes; i += kLanes) store(words + i, splat(0));
  }
}

inline void write_strip(const DenseJob& job, Span panels) noexcept {
  for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
    const int64_t in_strip = panel - panels.begin;
    const DenseScratch s = carve_dense(job.scratch, static_cast<int>(in_strip / kDensePanels));
    const int64_t row = panel * kLanes;
    const int64_t rows = job.rows - row < kLanes ? job.rows - row : kLanes;
    for (int64_t t = job.tokens.begin; t < job.tokens.end; ++t) {
      const int64_t lane =
          ((t - job.tokens.begin) * kDensePanels + in_strip % kDensePanels) * kLanes;
      if (job.out->exact != 0) {
        write_exact(*job.out, s.exact_totals + lane, t, row, rows);
      } else {
        write_out(*job.out, load(s.totals + lane), t, row, rows);
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

/// `count` elements along K from `p` on as f32 lines.
template <DenseKind K>
inline void expand_dense(float* lines, const uint8_t* p, int64_t line_stride,
                         int64_t count) noexcept {
  for (int64_t i = 0; i < count; i += K == DenseKind::f32 ? 1 : 2, p += line_stride) {
    prefetch_stream(p);
    F32x16 even, odd;
    if constexpr (K == DenseKind::f32) {
      even = load(reinterpret_cast<const float*>(p));
    } else {
      split_line<K>(p, even, odd);
      store(lines + (i + 1) * kLanes, odd);  // behind an odd leaf: nothing reads it
    }
    store(lines + i * kLanes, even);
  }
}

/// All of K for the panels of a strip. Panels that are not there repeat the first.
template <DenseKind K>
int64_t dense_strip(const DenseView& w, const DenseJob& job, Span panels) noexcept {
  int64_t bad = 0, k = 0, line = 0;
  for (int32_t leaf = 0; leaf < w.leaves; ++leaf) {
    bool fresh = true;
    while (k < w.leaf_ends[leaf]) {
      const int64_t left = w.leaf_ends[leaf] - k;
      const int64_t count = left < kChunkK ? left : kChunkK;
      const DenseChunk chunk = {k, count, fresh, left == count, leaf == 0};
      for (int64_t first = panels.begin; first < panels.end; first += kDensePanels) {
        const DenseScratch s =
            carve_dense(job.scratch, static_cast<int>((first - panels.begin) / kDensePanels));
        for (int n = 0; n < kDensePanels; ++n) {
          int64_t line_stride = 0;
          const uint8_t* p =
              dense_panel<K>(w, first + n < panels.end ? first + n : first, &line_stride);
          expand_dense<K>(s.lines + n * kLinesK * kLanes, p + line * line_stride, line_stride,
                          count);
        }
        bad += run_dense_chunk(job, s, chunk);
      }
      fresh = false;
      k += count;
      line += K == DenseKind::f32 ? count : (count + 1) / 2;
    }
  }
  return bad;
}

/// f(job, strip) for every token tile and strip of panels.
template <typename F>
inline void for_strips(DenseJob job, int64_t tokens, Span panels, const F& f) noexcept {
  int64_t bad = 0;
  for (int64_t t = 0; t < tokens; t += kDenseTokenTile) {
    job.tokens = {t, tokens - t < kDenseTokenTile ? tokens : t + kDenseTokenTile};
    for (int64_t panel = panels.begin; panel < panels.end; panel += kStripPanels) {
      const Span strip = {panel,
                          panels.end - panel < kStripPanels ? panels.end : panel + kStripPanels};
      begin_strip(job);
      bad += f(job, strip);
      write_strip(job, strip);
    }
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
          prefetch_stream(p);
          acc[0] = fma(load(reinterpret_cast<const float*>(p)), splat(x[k]), acc[0]);
        }
      } else {
        for (; k + 1 < end; k += 2, p += 256) {
          repeat<kGroup>(CN_UNROLLED(auto n) {
            F32x16 even, odd;
            prefetch_stream(p + 64 * n);
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
      repeat<kGroup>(CN_UNROLLED(auto n) {  // a loop would keep the accumulators in memory
        if (out.exact != 0) {
          bad += end_leaf_exact(exact[n], acc[n]);
        } else {
          end_leaf_f32(total[n], acc[n], leaf == 0);
        }
      });
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
  for_strips(
      {x, x_stride, {}, &out, scratch, w.rows}, tokens, panels,
      [&](const DenseJob& job, Span strip) noexcept { return dense_strip<K>(w, job, strip); });
}

}  // namespace colonnade::kernels::CN_ISA
