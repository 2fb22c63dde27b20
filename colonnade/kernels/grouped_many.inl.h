// Grouped weights times many tokens: a chunk of blocks is expanded once into scratch and meets
// every token. The chain of each output element is that of the one-token kernel: a chunk that ends
// inside a leaf stores the accumulators and the next one goes on.
#pragma once

#include "colonnade/kernels/grouped.inl.h"
#include "colonnade/kernels/unroll.inl.h"

namespace colonnade::kernels::CN_ISA {

constexpr int kChunkBlocks = 8;      // 8 blocks x 2 panels of 768 bytes: a quarter of a 48 KiB L1
constexpr int64_t kTokenTile = 256;  // accumulators of 256 tokens fit L2 with everything else

/// One block of one panel, expanded. sub0, sub1: i32 for int15, f32 for int8 (where float(sub) *
/// float(dot) is exact).
struct alignas(64) ExpandedBlock {
  uint8_t codes[512];
  float scale[16];
  float offset[16];
  int32_t sub0[16];
  int32_t sub1[16];
};

/// The parts of a format that matter once codes are expanded; formats that agree in them share a
/// tile.
constexpr P16Format expanded_format(P16Format f) noexcept {
  return {f.bits == 8 ? 8 : 4, f.zero != 0 ? 1 : 0, f.levels, f.subgroups, f.offset};
}

struct ManyScratch {
  ExpandedBlock* blocks;  // [kChunkBlocks, panels]
  int32_t* corrections;   // [kChunkBlocks, subgroups, tile tokens]: -zero * sum of q
  float* accumulators;    // [tile tokens, panels * 16]
  float* totals;          // [tile tokens, panels * 16]
  int64_t* exact_totals;  // [tile tokens, panels * 16]
};

template <int kPanels>
inline ManyScratch carve(Scratch scratch) noexcept {
  constexpr int64_t kLanesTile = kTokenTile * kPanels * kLanes;
  ManyScratch s;
  uint8_t* p = scratch.data;
  s.blocks = reinterpret_cast<ExpandedBlock*>(p);
  p += sizeof(ExpandedBlock) * kChunkBlocks * kPanels;
  s.corrections = reinterpret_cast<int32_t*>(p);
  p += sizeof(int32_t) * kChunkBlocks * 2 * kTokenTile;
  s.accumulators = reinterpret_cast<float*>(p);
  p += sizeof(float) * kLanesTile;
  s.totals = reinterpret_cast<float*>(p);
  p += sizeof(float) * kLanesTile;
  s.exact_totals = reinterpret_cast<int64_t*>(p);
  static_assert(sizeof(ExpandedBlock) * kChunkBlocks * kPanels + 64 * kTokenTile +
                    16 * kLanesTile <=
                kScratchBytes);
  return s;
}

template <P16Format F, bool kInt15>
inline void expand_block(ExpandedBlock& e, const uint8_t* block, const uint8_t* tail) noexcept {
  repeat<8>(CN_UNROLLED(auto j) {
    store_codes(e.codes + 64 * j, code_line<F.bits, decltype(j){}>(block));
  });
  const BlockScales s = load_scales<F>(block, tail);
  store(e.scale, s.scale);
  if constexpr (F.offset) store(e.offset, s.offset);
  if constexpr (F.levels == 2) {
    store(e.sub0, kInt15 ? s.sub0 : bits(to_f32(s.sub0)));
    if constexpr (F.subgroups == 2) store(e.sub1, kInt15 ? s.sub1 : bits(to_f32(s.sub1)));
  }
}

/// Dots of lines [4 * kHalf, ...) of one block for a tile; q of row m is 32 m bytes on.
template <P16Format F, int kFirstLine, int kLines, int kRows, int kPanels>
[[gnu::always_inline]] inline void dot_lines(I32x16 (&i)[kRows][kPanels], const ExpandedBlock* e,
                                             const int8_t* q) noexcept {
  repeat<kLines>(CN_UNROLLED(auto line) {
    constexpr int kLine = kFirstLine + decltype(line){};
    U8x64 codes[kPanels];
    repeat<kPanels>(CN_UNROLLED(auto n) { codes[n] = load_codes(e[n].codes + 64 * kLine); });
    repeat<kRows>(CN_UNROLLED(auto m) {
      repeat<kPanels>(
          CN_UNROLLED(auto n) { i[m][n] = dot<F>(i[m][n], codes[n], q + kBlock * m + 4 * kLine); });
    });
  });
}

/// Integer dot of one half (or all) of a block, zero taken off.
template <P16Format F, bool kInt15, int kFirstLine, int kLines, int kRows, int kPanels>
[[gnu::always_inline]] inline void dot_tile(I32x16 (&i)[kRows][kPanels], const ExpandedBlock* e,
                                            const int8_t* hi, const int8_t* lo,
                                            const int32_t* correction) noexcept {
  if constexpr (kInt15) {
    repeat<kRows>(
        CN_UNROLLED(auto m) { repeat<kPanels>(CN_UNROLLED(auto n) { i[m][n] = splat(0); }); });
    dot_lines<F, kFirstLine, kLines>(i, e, hi);
    repeat<kRows>(CN_UNROLLED(auto m) {
      repeat<kPanels>(CN_UNROLLED(auto n) {
        i[m][n] = shl<7>(i[m][n]);
        if constexpr (F.zero != 0) i[m][n] = add(i[m][n], splat(correction[m]));
      });
    });
    dot_lines<F, kFirstLine, kLines>(i, e, lo);
  } else {
    repeat<kRows>(CN_UNROLLED(auto m) {
      repeat<kPanels>(CN_UNROLLED(auto n) { i[m][n] = splat(F.zero != 0 ? correction[m] : 0); });
    });
    dot_lines<F, kFirstLine, kLines>(i, e, hi);
  }
}

/// value * sub-scale, as an exact float (int8) or an exact integer (int15, in `i`).
template <P16Format F, bool kInt15, int kRows, int kPanels>
[[gnu::always_inline]] inline void two_level_value(F32x16 (&value)[kRows][kPanels],
                                                   const ExpandedBlock* e, const int8_t* hi,
                                                   const int8_t* lo, const int32_t* correction,
                                                   int64_t tokens) noexcept {
  constexpr int kLines = F.subgroups == 2 ? 4 : 8;
  I32x16 i[kRows][kPanels];
  dot_tile<F, kInt15, 0, kLines>(i, e, hi, lo, correction);
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(CN_UNROLLED(auto n) {
      const I32x16 s = load(e[n].sub0);
      value[m][n] = kInt15 ? from_bits(mul(i[m][n], s)) : mul(to_f32(i[m][n]), from_bits(s));
    });
  });
  if constexpr (F.subgroups == 2) {
    dot_tile<F, kInt15, 4, 4>(i, e, hi, lo, correction + tokens);
    repeat<kRows>(CN_UNROLLED(auto m) {
      repeat<kPanels>(CN_UNROLLED(auto n) {
        const I32x16 s = load(e[n].sub1);
        value[m][n] = kInt15 ? from_bits(add(bits(value[m][n]), mul(i[m][n], s)))
                             : fma(to_f32(i[m][n]), from_bits(s), value[m][n]);
      });
    });
  }
  if constexpr (kInt15) {
    repeat<kRows>(CN_UNROLLED(auto m) {
      repeat<kPanels>(CN_UNROLLED(auto n) { value[m][n] = to_f32(bits(value[m][n])); });
    });
  }
}

/// What a tile reads of the activations: pointers at the chunk's first block and the tile's first
/// token; `tokens` apart per block.
struct TileCodes {
  const int8_t* hi;
  const int8_t* lo;
  const float* scale;
  const float* scaled_sum;
  const int32_t* corrections;
  int64_t tokens;             // of the whole view
  int64_t correction_tokens;  // of the tile's corrections
};

template <P16Format F, bool kInt15, int kRows, int kPanels>
void grouped_tile(float* accumulators, const ExpandedBlock* e, int blocks, TileCodes x,
                  bool fresh) noexcept {
  F32x16 acc[kRows][kPanels];
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(CN_UNROLLED(auto n) {
      acc[m][n] = fresh ? splat(0.0F) : load(accumulators + (m * kPanels + n) * kLanes);
    });
  });
  for (int b = 0; b < blocks; ++b, e += kPanels) {
    F32x16 value[kRows][kPanels];
    if constexpr (F.levels == 1) {
      I32x16 i[kRows][kPanels];
      dot_tile<F, kInt15, 0, 8>(i, e, x.hi, x.lo, x.corrections);
      repeat<kRows>(CN_UNROLLED(auto m) {
        repeat<kPanels>(CN_UNROLLED(auto n) { value[m][n] = to_f32(i[m][n]); });
      });
    } else {
      two_level_value<F, kInt15>(value, e, x.hi, x.lo, x.corrections, x.correction_tokens);
    }
    repeat<kRows>(CN_UNROLLED(auto m) {
      repeat<kPanels>(CN_UNROLLED(auto n) {
        const F32x16 p = mul(load(e[n].scale), splat(x.scale[m]));
        acc[m][n] = fma(value[m][n], p, acc[m][n]);
        if constexpr (F.offset)
          acc[m][n] = fma(load(e[n].offset), splat(x.scaled_sum[m]), acc[m][n]);
      });
    });
    x.hi += kBlock * x.tokens;
    if constexpr (kInt15) x.lo += kBlock * x.tokens;
    x.scale += x.tokens;
    x.scaled_sum += x.tokens;
    x.corrections += F.subgroups * x.correction_tokens;
  }
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(
        CN_UNROLLED(auto n) { store(accumulators + (m * kPanels + n) * kLanes, acc[m][n]); });
  });
}

/// -zero * sum of q for the tokens and blocks of a chunk.
template <P16Format F>
inline void fill_corrections(int32_t* out, const CodesView& x, int64_t block, int blocks,
                             Span tokens) noexcept {
  constexpr int kZero = dot_zero<F>();
  if constexpr (F.zero == 0) return;
  const int64_t count = tokens.end - tokens.begin;
  for (int b = 0; b < blocks; ++b) {
    const int32_t* sums = x.half_sums + 2 * ((block + b) * x.tokens + tokens.begin);
    int32_t* first = out + b * F.subgroups * count;
    for (int64_t t = 0; t < count; ++t) {
      if constexpr (F.subgroups == 2) {
        first[t] = -kZero * sums[2 * t];
        first[count + t] = -kZero * sums[2 * t + 1];
      } else {
        first[t] = -kZero * (sums[2 * t] + sums[2 * t + 1]);
      }
    }
  }
}

/// Where a chunk of blocks stands.
struct Chunk {
  int64_t block;  // first block
  int blocks;
  bool fresh;      // a leaf starts here
  bool ends_leaf;  // and ends here
  bool first_leaf;
};

template <P16Format F, bool kInt15, int kPanels>
int64_t run_chunk(const ManyScratch& s, const CodesView& x, const Chunk& chunk, Span tokens,
                  bool exact) noexcept {
  constexpr P16Format E = expanded_format(F);
  constexpr int kRows = F.subgroups == 2 && kGroupedRows > 4 ? 4 : kGroupedRows;
  constexpr int kWidth = kPanels * kLanes;
  const int64_t count = tokens.end - tokens.begin;
  int64_t bad = 0;
  for (int64_t m = 0; m < count;) {
    const int64_t at = chunk.block * x.tokens + tokens.begin + m;
    const TileCodes tile = {x.hi + kBlock * at,
                            x.lo + (kInt15 ? kBlock * at : 0),
                            x.scale + at,
                            x.scaled_sum + at,
                            s.corrections + m,
                            x.tokens,
                            count};
    float* acc = s.accumulators + m * kWidth;
    int64_t rows = 1;
    if (count - m >= kRows) {
      grouped_tile<E, kInt15, kRows, kPanels>(acc, s.blocks, chunk.blocks, tile, chunk.fresh);
      rows = kRows;
    } else if (count - m >= kRows / 2 && kRows > 2) {
      grouped_tile<E, kInt15, kRows / 2, kPanels>(acc, s.blocks, chunk.blocks, tile, chunk.fresh);
      rows = kRows / 2;
    } else {
      grouped_tile<E, kInt15, 1, kPanels>(acc, s.blocks, chunk.blocks, tile, chunk.fresh);
    }
    if (chunk.ends_leaf) {
      for (int64_t lane = m * kWidth; lane < (m + rows) * kWidth; lane += kLanes) {
        if (exact) {
          bad += end_leaf_exact(s.exact_totals + lane, load(s.accumulators + lane));
        } else {
          end_leaf_f32(s.totals + lane, load(s.accumulators + lane), chunk.first_leaf);
        }
      }
    }
    m += rows;
  }
  return bad;
}

/// One group of kPanels panels (`present` of them real) for one tile of tokens.
template <P16Format F, bool kInt15, int kPanels>
int64_t panel_group(const GroupedView& w, const CodesView& x, int64_t panel, int present,
                    Span tokens, const ManyScratch& s, bool exact) noexcept {
  constexpr int64_t kBytes = block_bytes(F);
  const uint8_t* p[kPanels];
  for (int n = 0; n < kPanels; ++n)
    p[n] = w.panels + (panel + (n < present ? n : 0)) * w.panel_bytes;
  if (exact) {
    const int64_t lanes = (tokens.end - tokens.begin) * kPanels * kLanes;
    for (int64_t i = 0; i < lanes; ++i) s.exact_totals[i] = 0;
  }
  Chunk chunk = {0, 0, true, false, true};
  int64_t bad = 0;
  for (int32_t g = 0; g < w.plan.segment_count; ++g) {
    const Segment segment = w.plan.segments[g];
    for (int32_t done = 0; done < segment.blocks; done += chunk.blocks) {
      const int32_t left = segment.blocks - done;
      chunk.blocks = left < kChunkBlocks ? left : kChunkBlocks;
      chunk.ends_leaf = segment.ends_leaf != 0 && left == chunk.blocks;
      for (int b = 0; b < chunk.blocks; ++b) {
        for (int n = 0; n < kPanels; ++n) {
          const uint8_t* block = p[n] + (done + b) * kBytes;
          expand_block<F, kInt15>(s.blocks[b * kPanels + n], block, p[n] + segment.blocks * kBytes);
        }
      }
      fill_corrections<F>(s.corrections, x, chunk.block, chunk.blocks, tokens);
      bad += run_chunk<F, kInt15, kPanels>(s, x, chunk, tokens, exact);
      chunk.block += chunk.blocks;
      chunk.fresh = chunk.ends_leaf;
      if (chunk.ends_leaf) chunk.first_leaf = false;
    }
    for (int n = 0; n < kPanels; ++n) p[n] += segment.blocks * kBytes + segment_tail_bytes(F);
  }
  return bad;
}

template <int kPanels>
void write_group(const ProductOut& out, const ManyScratch& s, int64_t panel, int present,
                 int64_t rows, Span tokens) noexcept {
  for (int64_t t = 0; t < tokens.end - tokens.begin; ++t) {
    for (int n = 0; n < present; ++n) {
      const int64_t row = (panel + n) * kLanes;
      const int64_t here = rows - row < kLanes ? rows - row : kLanes;
      const int64_t lane = (t * kPanels + n) * kLanes;
      if (out.exact != 0) {
        write_exact(out, s.exact_totals + lane, tokens.begin + t, row, here);
      } else {
        write_out(out, load(s.totals + lane), tokens.begin + t, row, here);
      }
    }
  }
}

template <P16Format F, bool kInt15>
void many_panels(const GroupedView& w, const CodesView& x, Span panels, const ProductOut& out,
                 Scratch scratch) noexcept {
  constexpr int kPanels = kGroupedPanels;
  const ManyScratch s = carve<kPanels>(scratch);
  int64_t bad = 0;
  for (int64_t t = 0; t < x.tokens; t += kTokenTile) {
    const Span tokens = {t, x.tokens - t < kTokenTile ? x.tokens : t + kTokenTile};
    for (int64_t panel = panels.begin; panel < panels.end; panel += kPanels) {
      const int present =
          panels.end - panel < kPanels ? static_cast<int>(panels.end - panel) : kPanels;
      bad += panel_group<F, kInt15, kPanels>(w, x, panel, present, tokens, s, out.exact != 0);
      write_group<kPanels>(out, s, panel, present, w.rows, tokens);
    }
  }
  if (bad != 0) *out.bad_leaves += bad;
}

}  // namespace colonnade::kernels::CN_ISA
