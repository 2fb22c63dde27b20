// The inner loops of the many-row kernel: a register tile of tokens x panels over a chunk of
// expanded blocks.
#pragma once

#include "colonnade/kernels/grouped.inl.h"
#include "colonnade/kernels/leaves.inl.h"
#include "colonnade/kernels/unroll.inl.h"

namespace colonnade::kernels::CN_ISA {

// A leaf of 512. 16 blocks x 2 panels of 896 bytes: 28 of the 48 KiB of an L1 that feeds AVX-512.
constexpr int kChunkBlocks = 16;

/// One block of one panel, expanded. Two levels, int15: sub0 and sub1 are i32. Two levels, int8:
/// they are f32 (float(sub) * float(dot) is exact) and `shift` is -kMagic * sub0. Minimums of
/// sub-groups are words, and `offset` is -dmin. No format has both two_scales and an offset.
struct alignas(64) ExpandedBlock {
  uint8_t codes[512];
  float scale[16];
  union {
    float offset[16];
    float scale1[16];
  };
  int32_t sub0[16];
  int32_t sub1[16];
  float shift[16];
  int32_t min_pairs[16];
};

// 1.5 * 2^23: as f32 its unit is 1, so adding an integer below 2^22 to its bits adds it to its
// value. A dot that starts from these bits needs no conversion before the FMA with its sub-scale:
// fma(kMagic + I, sub, -kMagic * sub) = I * sub, exact. (127 * 127 * 32 < 2^22.)
constexpr float kMagic = 12582912.0F;
constexpr int32_t kMagicBits = 0x4b400000;

/// The parts of a format that matter once codes are expanded; formats that agree in them share
/// their code.
template <P16Format F>
constexpr P16Format expanded_format() noexcept {
  return {wide_codes(F) ? 8 : 4, dot_zero<F>() != 0 ? 1 : 0, F.levels, F.subgroups, F.offset};
}

/// Sub-groups have minimums of their own.
constexpr bool sub_minimums(P16Format e) noexcept { return e.offset && e.subgroups == 2; }

/// Blocks that the tiles work on.
struct Chunk {
  int64_t block = 0;  // the first
  int blocks = 0;
  bool fresh = true;             // a leaf starts with it
  bool ends[kChunkBlocks] = {};  // a leaf ends behind block b
};

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

/// Integer dot of one half (or all) of a block, zero taken off; int8 may start from `start`.
template <P16Format F, bool kInt15, int kFirstLine, int kLines, int kRows, int kPanels>
[[gnu::always_inline]] inline void dot_tile(I32x16 (&i)[kRows][kPanels], const ExpandedBlock* e,
                                            const int8_t* hi, const int8_t* lo,
                                            const int32_t* correction, int32_t start) noexcept {
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
      repeat<kPanels>(
          CN_UNROLLED(auto n) { i[m][n] = splat(F.zero != 0 ? correction[m] : start); });
    });
    dot_lines<F, kFirstLine, kLines>(i, e, hi);
  }
}

/// The run's integer with two levels of scales, as a float: exact.
template <P16Format F, bool kInt15, int kRows, int kPanels>
[[gnu::always_inline]] inline void two_level_value(F32x16 (&value)[kRows][kPanels],
                                                   const ExpandedBlock* e, const int8_t* hi,
                                                   const int8_t* lo, const int32_t* correction,
                                                   int64_t tokens) noexcept {
  constexpr int kLines = F.subgroups == 2 ? 4 : 8;
  I32x16 i[kRows][kPanels];
  dot_tile<F, kInt15, 0, kLines>(i, e, hi, lo, correction, kMagicBits);
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(CN_UNROLLED(auto n) {
      const I32x16 s = load(e[n].sub0);
      value[m][n] = kInt15 ? from_bits(mul(i[m][n], s))
                           : fma(from_bits(i[m][n]), from_bits(s), load(e[n].shift));
    });
  });
  if constexpr (F.subgroups == 2) {
    dot_tile<F, kInt15, 4, 4>(i, e, hi, lo, correction + tokens, 0);
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

/// The minimums' step of the chains of a tile: acc = fma(J, -dmin * s_a, acc).
template <bool kInt15, int kRows, int kPanels>
[[gnu::always_inline]] inline void minimums_tile(F32x16 (&acc)[kRows][kPanels],
                                                 const ExpandedBlock* e,
                                                 const TileCodes& x) noexcept {
  repeat<kPanels>(CN_UNROLLED(auto n) {
    const I32x16 pairs = load(e[n].min_pairs);
    const F32x16 first = to_f32(sub_minimum<0>(pairs)), second = to_f32(sub_minimum<1>(pairs));
    repeat<kRows>(CN_UNROLLED(auto m) {
      F32x16 value;
      if constexpr (kInt15) {  // below 2^24: exact
        const auto* sums = reinterpret_cast<const float*>(x.corrections);
        value = fma(splat(sums[m]), first, mul(splat(sums[x.correction_tokens + m]), second));
      } else {
        value = to_f32(dot_words(splat(x.corrections[m]), pairs));
      }
      acc[m][n] = fma(value, mul(load(e[n].offset), splat(x.scale[m])), acc[m][n]);
    });
  });
}

/// One block's two steps of the chains of a tile, where sub-groups have scales of their own.
template <P16Format F, bool kInt15, int kRows, int kPanels>
[[gnu::always_inline]] inline void two_scales_tile(F32x16 (&acc)[kRows][kPanels],
                                                   const ExpandedBlock* e,
                                                   const TileCodes& x) noexcept {
  repeat<2>(CN_UNROLLED(auto half) {
    constexpr int kHalf = decltype(half){};
    I32x16 i[kRows][kPanels];
    dot_tile<F, kInt15, 4 * kHalf, 4>(i, e, x.hi, x.lo, x.corrections + kHalf * x.correction_tokens,
                                      0);
    repeat<kRows>(CN_UNROLLED(auto m) {
      repeat<kPanels>(CN_UNROLLED(auto n) {
        const F32x16 scale = load(kHalf == 0 ? e[n].scale : e[n].scale1);
        acc[m][n] = fma(to_f32(i[m][n]), mul(scale, splat(x.scale[m])), acc[m][n]);
      });
    });
  });
}

/// One block's step of the chains of a tile.
template <P16Format F, bool kInt15, int kRows, int kPanels>
[[gnu::always_inline]] inline void chain_tile(F32x16 (&acc)[kRows][kPanels], const ExpandedBlock* e,
                                              const TileCodes& x) noexcept {
  if constexpr (two_scales(F)) return two_scales_tile<F, kInt15>(acc, e, x);
  F32x16 value[kRows][kPanels];
  if constexpr (F.levels == 1) {
    I32x16 i[kRows][kPanels];
    dot_tile<F, kInt15, 0, 8>(i, e, x.hi, x.lo, x.corrections, 0);
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
      if constexpr (F.offset && !sub_minimums(F)) {
        acc[m][n] = fma(load(e[n].offset), splat(x.scaled_sum[m]), acc[m][n]);
      }
    });
  });
  if constexpr (sub_minimums(F)) minimums_tile<kInt15>(acc, e, x);
}

/// kRows tokens x kPanels panels over a chunk. Returns what close_leaf
/// does, added up.
template <P16Format F, bool kInt15, Joining J, int kRows, int kPanels>
[[gnu::noinline]] int64_t grouped_tile(const TileSums& sums, const ExpandedBlock* e,
                                       const Chunk& chunk, TileCodes x) noexcept {
  F32x16 acc[kRows][kPanels];
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(CN_UNROLLED(auto n) {
      acc[m][n] = chunk.fresh ? splat(0.0F) : load(sums.accumulators + (m * kPanels + n) * kLanes);
    });
  });
  int64_t bad = 0;
  for (int b = 0; b < chunk.blocks; ++b, e += kPanels) {
    chain_tile<F, kInt15>(acc, e, x);
    if (chunk.ends[b]) {
      bad += close_leaf<J, kRows * kPanels>(
          sums, CN_UNROLLED(auto i) { return acc[i / kPanels][i % kPanels]; });
      repeat<kRows>(CN_UNROLLED(auto m) {
        repeat<kPanels>(CN_UNROLLED(auto n) { acc[m][n] = splat(0.0F); });
      });
    }
    x.hi += kBlock * x.tokens;
    if constexpr (kInt15) x.lo += kBlock * x.tokens;
    x.scale += x.tokens;
    x.scaled_sum += x.tokens;
    x.corrections += F.subgroups * x.correction_tokens;
  }
  if (chunk.ends[chunk.blocks - 1]) return bad;
  repeat<kRows>(CN_UNROLLED(auto m) {
    repeat<kPanels>(
        CN_UNROLLED(auto n) { store(sums.accumulators + (m * kPanels + n) * kLanes, acc[m][n]); });
  });
  return bad;
}

}  // namespace colonnade::kernels::CN_ISA
