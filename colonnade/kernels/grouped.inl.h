// What the grouped kernels share: code lines of a packed block, the exact integer dot, the step of
// a chain.
#pragma once

#include "colonnade/kernels/p16.h"
#include "colonnade/kernels/unroll.inl.h"
#include "colonnade/kernels/vec.inl.h"
#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

/// The lines of a block's codes, as they are stored. Loaded once: blocks are not aligned to lines
/// of the cache, and a load that crosses one costs two.
template <P16Format F>
struct CodeLines {
  U8x64 line[F.bits];

  explicit CodeLines(const uint8_t* block) noexcept {
    repeat<F.bits>(CN_UNROLLED(auto l) { line[l] = load_codes_once(block + 64 * l); });
  }
};

/// Codes of a block, line j (0..7): byte 4r + i is the code of row r at k = 4j + i.
template <P16Format F, int J>
inline U8x64 stored_codes(const CodeLines<F>& block) noexcept {
  const U8x64* line = block.line;
  if constexpr (F.bits == 8) {
    return line[J];
  } else if constexpr (F.bits < 4) {
    const U8x64 low = shift_mask<2 * (J % 4)>(line[J / 4], 0x03);
    if constexpr (F.bits == 2) return low;
    if constexpr (F.bits == 3) return merge_shifted<J - 2>(low, line[2], 0x04);
  } else {
    const U8x64 nibbles = shift_mask<4 * (J % 2)>(line[J / 2], 0x0f);
    if constexpr (F.bits == 4) return nibbles;
    if constexpr (F.bits == 5) return merge_shifted<J - 4>(nibbles, line[4], 0x10);
    if constexpr (F.bits == 6) {
      return merge_shifted<2 * (J % 4) - 4>(nibbles, line[4 + J / 4], 0x30);
    }
  }
}

/// The same as the integers that dots take: entries of the format's table.
template <P16Format F, int J>
inline U8x64 codes_of(const CodeLines<F>& block) noexcept {
  const U8x64 codes = stored_codes<F, J>(block);
  if constexpr (F.table == CodeTable::none) {
    return codes;
  } else {
    return lookup(entries_of(F.table), codes);
  }
}

// A stream from memory. The hardware prefetcher stops at 4 KiB pages, and the 16 fill buffers of an
// L1 hold less than memory's latency times its rate: so far ahead into L2, which has more of them,
// and nearer into L1. Measured on Sapphire Rapids, Q4_0: one distance 74 to 84 % of a plain read,
// both 96 %. Inlined always: gcc 12 takes a call of a function that only fetches for one without
// effect.
constexpr int64_t kNearBytes = 2048, kFarBytes = 16384;
[[gnu::always_inline]] inline void prefetch_stream(const uint8_t* p) noexcept {
  prefetch(p + kNearBytes);
  prefetch_to_l2(p + kFarBytes);
}

template <P16Format F>
inline I32x16 dot(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  if constexpr (wide_codes(F)) return dot8(acc, codes, q);
  return dot7(acc, codes, q);
}

/// What dot leaves to be taken off per unit of the sum of q.
template <P16Format F>
constexpr int dot_zero() noexcept {
  return wide_codes(F) ? F.zero - 128 + kZero8 : F.zero;
}

inline F32x16 load_scales_of(ScaleType type, const uint8_t* p) noexcept {
  if (type == ScaleType::f32) return load(reinterpret_cast<const float*>(p));
  const auto* halves = reinterpret_cast<const uint16_t*>(p);
  return type == ScaleType::f16 ? load_f16(halves) : load_bf16(halves);
}

/// 2^(e - 128): halves of a table's doubled entries. The two smallest are denormal: shifted one
/// place less per step, they are the larger number there and nowhere else.
inline F32x16 load_e8m0(const uint8_t* p) noexcept {
  const I32x16 e = load_u8(p);
  return from_bits(max(shl<23>(sub(e, splat(1))), shl<21>(add(e, splat(1)))));
}

/// Halves of numbers of E4M3. As the bits of an f16 they are a 2^8th of the number, and an f16's
/// denormals become f32 at no cost; products with denormals of f32 have one.
inline F32x16 load_e4m3(const uint8_t* p) noexcept {
  const I32x16 halves = band(shl<7>(load_s8(p)), splat(kE4m3Mask));
  return mul(f16_low(halves), splat(128.0F));
}

/// What stands behind a segment, 16 rows each: scale and offset, or d and -dmin.
struct SegmentScales {
  F32x16 scale, offset;
};

template <P16Format F>
inline SegmentScales load_segment(const uint8_t* tail, ScaleType type) noexcept {
  SegmentScales s = {};
  if constexpr (F.levels == 2) {
    const auto* halves = reinterpret_cast<const uint16_t*>(tail);
    s.scale = load_f16(halves);
    if constexpr (F.offset) s.offset = sub(splat(0.0F), load_f16(halves + kLanes));
  } else if constexpr (F.place == ScalePlace::segment) {
    s.scale = load_scales_of(type, tail);
    if constexpr (F.offset) s.offset = load_scales_of(type, tail + kLanes * scale_bytes(type));
  }
  return s;
}

/// Scales as a block's step needs them, 16 rows each.
struct BlockScales {
  F32x16 scale;   // of the block, or d; two_scales: of the first sub-group
  F32x16 scale1;  // two_scales: of the second
  F32x16 offset;  // of the block; in_pairs: -dmin
  I32x16 sub0, sub1;
  I32x16 sub_pairs, min_pairs;  // in_pairs: words, those of the two sub-groups side by side
};

template <P16Format F>
inline BlockScales load_scales(const uint8_t* block, SegmentScales segment) noexcept {
  const uint8_t* p = block + code_bytes(F);
  BlockScales s = {};
  s.scale = segment.scale;
  s.offset = segment.offset;
  if constexpr (F.place == ScalePlace::block_f16) {
    s.scale = load_f16(reinterpret_cast<const uint16_t*>(p));
    if constexpr (F.offset) s.offset = load_f16(reinterpret_cast<const uint16_t*>(p) + kLanes);
  } else if constexpr (F.place == ScalePlace::block_e8m0) {
    s.scale = load_e8m0(p);
  } else if constexpr (F.place == ScalePlace::block_e4m3) {
    s.scale = load_e4m3(p);
    s.scale1 = load_e4m3(p + kLanes);
  } else if constexpr (in_pairs(F) && F.offset) {
    const I32x16 nibbles = splat(0x000f000f), pairs = load_u8_pairs(p);
    s.sub_pairs = band(pairs, nibbles);
    s.min_pairs = band(shr<4>(pairs), nibbles);
  } else if constexpr (in_pairs(F)) {
    s.sub_pairs = load_s8_pairs(p);
  } else if constexpr (F.levels == 2) {
    s.sub0 = load_s8(p);
    if constexpr (F.subgroups == 2) s.sub1 = load_s8(p + kLanes);
    if constexpr (F.offset) s.offset = mul(s.offset, to_f32(load_u8(p + kLanes)));
  }
  return s;
}

/// Sub-scales of the first and the second sub-group.
template <P16Format F, int kHalf>
inline I32x16 sub_scale(const BlockScales& s) noexcept {
  if constexpr (in_pairs(F)) return sar<16>(kHalf == 0 ? shl<16>(s.sub_pairs) : s.sub_pairs);
  return kHalf == 0 || F.subgroups == 1 ? s.sub0 : s.sub1;
}
template <int kHalf>
inline I32x16 sub_minimum(I32x16 min_pairs) noexcept {
  return kHalf == 0 ? band(min_pairs, splat(0xffff)) : shr<16>(min_pairs);
}

/// float(I) of a run from the dots of its sub-groups (zero already taken off). Dots of int8 and up
/// to 3 bits are words: 7 * 127 * 16 < 2^15.
template <P16Format F, bool kInt15>
inline F32x16 run_value(I32x16 i0, I32x16 i1, const BlockScales& s) noexcept {
  if constexpr (F.levels == 1) return to_f32(add(i0, i1));
  if constexpr (F.subgroups == 1) return to_f32(mul(add(i0, i1), s.sub0));
  if constexpr (in_pairs(F) && !kInt15) return to_f32(dot_words(join_words(i0, i1), s.sub_pairs));
  return to_f32(add(mul(i0, sub_scale<F, 0>(s)), mul(i1, sub_scale<F, 1>(s))));
}

/// Sums of q over the halves of a block as the two words of a lane.
inline int32_t sum_words(int32_t first, int32_t second) noexcept {
  return static_cast<int32_t>((static_cast<uint32_t>(first) & 0xffffU) |
                              static_cast<uint32_t>(second) << 16);
}

/// float(J) of a run whose sub-groups have minimums of their own.
template <bool kInt15>
inline F32x16 minimum_value(const int32_t* half_sums, I32x16 min_pairs) noexcept {
  if constexpr (!kInt15) {
    return to_f32(dot_words(splat(sum_words(half_sums[0], half_sums[1])), min_pairs));
  }
  return to_f32(add(mul(splat(half_sums[0]), sub_minimum<0>(min_pairs)),
                    mul(splat(half_sums[1]), sub_minimum<1>(min_pairs))));
}

}  // namespace colonnade::kernels::CN_ISA
