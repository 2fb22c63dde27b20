// Dense weights: one f32 FMA chain per output element and leaf, in K order.
#pragma once

#include "colonnade/kernels/grouped.inl.h"
#include "colonnade/kernels/leaves.inl.h"

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

/// Elements along K that all tokens of a tile meet at a time, as f32 lines: whole leaves, as many
/// as fit, or a part of one that is longer.
struct DenseChunk {
  static constexpr int kMostPieces = 16;
  int64_t k = 0;                         // the first element
  int64_t count = 0;                     // elements
  int32_t pieces = 0;                    // each the end of a leaf, but for the last unless `ends`
  int32_t piece_ends[kMostPieces] = {};  // elements behind k
  bool fresh = true;                     // a leaf starts with it
  bool ends = true;                      // a leaf ends with it

  void add(int64_t elements) noexcept {
    count += elements;
    piece_ends[pieces++] = static_cast<int32_t>(count);
  }
  bool fits(int64_t elements) const noexcept {
    return pieces < kMostPieces && count + elements <= kChunkK;
  }
};

/// kRows tokens x kPanels panels over a chunk in lines w [kPanels][panel_stride] f32; x row m is
/// x_stride on. Returns what close_leaf does, added up.
template <Joining J, int kRows, int kPanels>
[[gnu::noinline]] int64_t dense_tile(const TileSums& sums, const DenseChunk& chunk, const float* w,
                                     int64_t panel_stride, const float* x,
                                     int64_t x_stride) noexcept {
  F32x16 acc[kRows][kPanels];
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(CN_UNROLLED(auto n) {
      acc[m][n] = chunk.fresh ? splat(0.0F) : load(sums.accumulators + (m * kPanels + n) * kLanes);
    });
  });
  // Rows in threes: [base], [base + stride], [base + 2 stride] are addressing modes, so that 12
  // rows take 4 address registers and not 12.
  constexpr int kBases = (kRows + 2) / 3;
  const float* base[kBases];
  repeat<kBases>(CN_UNROLLED(auto i) { base[i] = x + 3 * i * x_stride; });
  int64_t k = 0, bad = 0;
  for (int32_t piece = 0; piece < chunk.pieces; ++piece) {
    for (const int64_t end = chunk.piece_ends[piece]; k < end; ++k) {
      F32x16 line[kPanels];
      repeat<kPanels>(CN_UNROLLED(auto n) { line[n] = load(w + n * panel_stride + k * kLanes); });
      repeat<kRows>(CN_UNROLLED(auto m) {
        const F32x16 value = splat(base[m / 3][m % 3 * x_stride]);
        repeat<kPanels>(CN_UNROLLED(auto n) { acc[m][n] = fma(line[n], value, acc[m][n]); });
      });
      repeat<kBases>(CN_UNROLLED(auto i) { ++base[i]; });
    }
    if (piece + 1 == chunk.pieces && !chunk.ends) break;
    bad += close_leaf<J, kRows * kPanels>(
        sums, CN_UNROLLED(auto i) { return acc[i / kPanels][i % kPanels]; });
    repeat<kRows>(
        CN_UNROLLED(auto m) { repeat<kPanels>(CN_UNROLLED(auto n) { acc[m][n] = splat(0.0F); }); });
  }
  if (chunk.ends) return bad;
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(
        CN_UNROLLED(auto n) { store(sums.accumulators + (m * kPanels + n) * kLanes, acc[m][n]); });
  });
  return bad;
}

// Column groups (kDensePanels panels each) that meet a slice of the activations while it is in L2:
// all of a token tile's activations do not fit there.
constexpr int kStripGroups = 4;
constexpr int kStripPanels = kStripGroups * kDensePanels;
constexpr int64_t kDenseTokenTile = 252;  // a multiple of every row count of a register tile

constexpr int64_t kLinesK = kChunkK + kBlock;  // an expanded block may begin right before its end
constexpr int64_t kDenseLanes = kDenseTokenTile * kDensePanels * kLanes;
static_assert(kDensePanels * kLanes * kLinesK * 4 + kStripGroups * kDenseLanes * 20 <=
              kScratchBytes);

/// [kDensePanels][kLinesK][16]; behind them the sums of each column group.
inline float* dense_lines(Scratch scratch) noexcept {
  return reinterpret_cast<float*>(scratch.data);
}
inline LeafSums dense_sums(Scratch scratch, int group, bool exact) noexcept {
  auto* sums = dense_lines(scratch) + kDensePanels * kLinesK * kLanes + group * 5 * kDenseLanes;
  auto* low = reinterpret_cast<int32_t*>(sums + 2 * kDenseLanes);
  auto* wide = reinterpret_cast<int64_t*>(sums + 3 * kDenseLanes);
  return {sums, sums + kDenseLanes, exact ? low : nullptr, wide};
}

/// A product in the making: the token tile and where it goes.
struct DenseJob {
  const float* x;
  int64_t x_stride;
  Span tokens;
  const ProductOut* out;
  Scratch scratch;
  int64_t rows;         // of the weight
  int32_t leaves;       // likewise
  int64_t first_panel;  // of the strip
  LeafSums sums[kStripGroups];

  int group_of(int64_t panel) const noexcept {
    return static_cast<int>((panel - first_panel) / kDensePanels);
  }
  float* lines(int panel) const noexcept { return dense_lines(scratch) + panel * kLinesK * kLanes; }
};

template <Joining J, int kRows>
inline int64_t dense_rows(DenseJob& job, int group, const DenseChunk& c, int64_t m) noexcept {
  constexpr int kWidth = kDensePanels * kLanes;
  LeafSums& sums = job.sums[group];
  const int64_t answer = dense_tile<J, kRows, kDensePanels>(
      sums.at(m * kWidth), c, job.lines(0), kLinesK * kLanes,
      job.x + (job.tokens.begin + m) * job.x_stride + c.k, job.x_stride);
  return sums.note(answer, m * kWidth, kRows * kWidth);
}

/// The chunk in the lines meets the wanted tokens (counted from the tile's first). Returns how many
/// leaves were out of range.
template <Joining J>
inline int64_t run_dense_chunk(DenseJob& job, int group, const DenseChunk& c,
                               Span wanted) noexcept {
  constexpr int kRows = J == Joining::careful ? 1 : kDenseRows;  // care is rare: one by one
  constexpr int kFewer = kRows > 3 ? kRows / 3 : 1;
  int64_t bad = 0;
  for (int64_t m = wanted.begin; m < wanted.end;) {
    const int64_t left = wanted.end - m;
    if (left >= kRows) {
      bad += dense_rows<J, kRows>(job, group, c, m);
      m += kRows;
    } else if (left >= kFewer) {
      bad += dense_rows<J, kFewer>(job, group, c, m);
      m += kFewer;
    } else {
      bad += dense_rows<J, 1>(job, group, c, m);
      m += 1;
    }
  }
  return bad;
}

inline void begin_strip(DenseJob& job, int64_t first_panel) noexcept {
  job.first_panel = first_panel;
  const int64_t lanes = (job.tokens.end - job.tokens.begin) * kDensePanels * kLanes;
  for (int i = 0; i < kStripGroups; ++i) {
    job.sums[i] = dense_sums(job.scratch, i, job.out->exact != 0);
    job.sums[i].begin(lanes, job.leaves);
  }
}

inline void write_strip(const DenseJob& job, Span panels) noexcept {
  for (int64_t panel = panels.begin; panel < panels.end; ++panel) {
    const LeafSums& sums = job.sums[job.group_of(panel)];
    const int64_t row = panel * kLanes;
    const int64_t rows = job.rows - row < kLanes ? job.rows - row : kLanes;
    for (int64_t t = job.tokens.begin; t < job.tokens.end; ++t) {
      const int64_t lane =
          ((t - job.tokens.begin) * kDensePanels + (panel - job.first_panel) % kDensePanels) *
          kLanes;
      sums.write(*job.out, lane, t, row, rows);
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

/// The chunk behind `c`, from leaf `leaf` on, which moves behind the leaves that end in it.
inline DenseChunk next_dense_chunk(const DenseView& w, const DenseChunk& c,
                                   int32_t& leaf) noexcept {
  DenseChunk next;
  next.k = c.k + c.count;
  next.fresh = c.ends;
  const int64_t left = w.leaf_ends[leaf] - next.k;
  if (left > kChunkK) {
    next.add(kChunkK);
    next.ends = false;
    return next;
  }
  next.add(left);
  for (++leaf; leaf < w.leaves; ++leaf) {
    const int64_t length = w.leaf_ends[leaf] - w.leaf_ends[leaf - 1];
    if (!next.fits(length)) break;
    next.add(length);
  }
  return next;
}

/// One panel's part of a chunk as lines, from `p` on. Returns the packed lines that hold it.
template <DenseKind K>
inline int64_t expand_dense_chunk(float* lines, const uint8_t* p, int64_t line_stride,
                                  const DenseChunk& c) noexcept {
  int64_t k = 0, packed = 0;
  for (int32_t piece = 0; piece < c.pieces; ++piece) {
    const int64_t count = c.piece_ends[piece] - k;
    expand_dense<K>(lines + k * kLanes, p + packed * line_stride, line_stride, count);
    packed += K == DenseKind::f32 ? count : (count + 1) / 2;
    k += count;
  }
  return packed;
}

/// All of K for panels of a strip and the wanted tokens. Panels that are not there repeat the
/// first.
template <DenseKind K, Joining J>
int64_t dense_strip(const DenseView& w, DenseJob& job, Span panels, Span wanted) noexcept {
  int64_t bad = 0, line = 0;
  DenseChunk chunk;
  for (int32_t leaf = 0; leaf < w.leaves;) {
    chunk = next_dense_chunk(w, chunk, leaf);
    int64_t packed = 0;
    for (int64_t first = panels.begin; first < panels.end; first += kDensePanels) {
      for (int n = 0; n < kDensePanels; ++n) {
        int64_t line_stride = 0;
        const uint8_t* p =
            dense_panel<K>(w, first + n < panels.end ? first + n : first, &line_stride);
        packed = expand_dense_chunk<K>(job.lines(n), p + line * line_stride, line_stride, chunk);
      }
      bad += run_dense_chunk<J>(job, job.group_of(first), chunk, wanted);
    }
    line += packed;
  }
  return bad;
}

/// The sums of a token tile and a strip: f<joining>(job, panels, wanted) makes them. Returns how
/// many leaves were out of range.
template <typename F>
inline int64_t sum_strip(DenseJob& job, Span strip, const F& f) noexcept {
  const Span all = {0, job.tokens.end - job.tokens.begin};
  if (job.out->exact == 0) return f.template operator()<Joining::f32>(job, strip, all);
  const bool quick = may_be_quick(job.leaves);
  if (quick) f.template operator()<Joining::quick>(job, strip, all);
  int64_t bad = 0;
  for (int64_t panel = strip.begin; panel < strip.end; panel += kDensePanels) {
    constexpr int64_t kWidth = kDensePanels * kLanes;
    LeafSums& sums = job.sums[job.group_of(panel)];
    if (!quick) sums.left = {0, all.end * kWidth};
    if (sums.left.begin == sums.left.end) continue;
    sums.clear_wide();
    const Span group = {panel, strip.end - panel < kDensePanels ? strip.end : panel + kDensePanels};
    bad += f.template operator()<Joining::careful>(
        job, group, {sums.left.begin / kWidth, sums.left.end / kWidth});
  }
  return bad;
}

/// Every token tile and strip of panels, written.
template <typename F>
inline void for_strips(DenseJob job, int64_t tokens, Span panels, const F& f) noexcept {
  int64_t bad = 0;
  for (int64_t t = 0; t < tokens; t += kDenseTokenTile) {
    job.tokens = {t, tokens - t < kDenseTokenTile ? tokens : t + kDenseTokenTile};
    for (int64_t panel = panels.begin; panel < panels.end; panel += kStripPanels) {
      const Span strip = {panel,
                          panels.end - panel < kStripPanels ? panels.end : panel + kStripPanels};
      begin_strip(job, panel);
      bad += sum_strip(job, strip, f);
      write_strip(job, strip);
    }
  }
  if (bad != 0) *job.out->bad_leaves += bad;
}

/// on_leaf(leaf) for the leaves of kGroup x 16 rows from `p` on, in order; leaf(n) is the n-th
/// panel's. 16-bit: the four interleaved panels together, f32: one panel.
template <DenseKind K, typename OnLeaf>
[[gnu::always_inline]] inline void decode_dense_leaves(const DenseView& w, const float* x,
                                                       const uint8_t* p,
                                                       const OnLeaf& on_leaf) noexcept {
  constexpr int kGroup = K == DenseKind::f32 ? 1 : 4;
  int64_t k = 0;
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
    on_leaf(CN_UNROLLED(auto n) { return acc[n]; });
  }
}

/// One token.
template <DenseKind K>
void decode_dense(const DenseView& w, const float* x, Span panels, const ProductOut& out) noexcept {
  constexpr int kGroup = K == DenseKind::f32 ? 1 : 4;
  const auto rows_from = [&](int64_t row) noexcept {
    return w.rows - row < kLanes ? w.rows - row : int64_t{kLanes};
  };
  for (int64_t panel = panels.begin; panel < panels.end; panel += kGroup) {
    const uint8_t* p = w.panels + panel * w.panel_bytes;
    if (out.exact != 0) {
      alignas(64) int64_t wide[kGroup][kLanes];
      ExactSums sums[kGroup];
      const int64_t bad = sum_rows(
          sums, wide, w.leaves,
          CN_UNROLLED(const auto& on_leaf) { decode_dense_leaves<K>(w, x, p, on_leaf); });
      if (bad != 0) *out.bad_leaves += bad;
      for (int n = 0; n < kGroup && (panel + n) * kLanes < w.rows; ++n) {
        const int64_t row = (panel + n) * kLanes;
        write_exact(out, sums[n], 0, row, rows_from(row));
      }
      continue;
    }
    F32x16 total[kGroup];
    repeat<kGroup>(CN_UNROLLED(auto n) { total[n] = splat(-0.0F); });
    decode_dense_leaves<K>(
        w, x, p, CN_UNROLLED(const auto& leaf) {
          repeat<kGroup>(CN_UNROLLED(auto n) { total[n] = add(total[n], leaf(n)); });
        });
    for (int n = 0; n < kGroup && (panel + n) * kLanes < w.rows; ++n) {
      const int64_t row = (panel + n) * kLanes;
      write_out(out, total[n], 0, row, rows_from(row));
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
  for_strips({x, x_stride, {}, &out, scratch, w.rows, w.leaves, 0, {}}, tokens, panels,
             [&]<Joining J>(DenseJob& job, Span group, Span wanted) noexcept {
               return dense_strip<K, J>(w, job, group, wanted);
             });
}

}  // namespace colonnade::kernels::CN_ISA
