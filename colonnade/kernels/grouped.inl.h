// What the grouped kernels share: code lines of a packed block, the exact integer dot, the step of
// a chain.
#pragma once

#include "colonnade/kernels/p16.h"
#include "colonnade/kernels/vec.inl.h"
#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

/// Line j (0..7) of a block: byte 4r + i is the code of row r at k = 4j + i.
template <int Bits, int J>
inline U8x64 code_line(const uint8_t* block) noexcept {
  if constexpr (Bits == 8) {
    return load_codes(block + 64 * J);
  } else {
    const U8x64 nibbles = shift_mask<4 * (J % 2)>(load_codes(block + 64 * (J / 2)), 0x0f);
    if constexpr (Bits == 4) return nibbles;
    if constexpr (Bits == 5) {
      return bor(nibbles, shift_mask<J - 4>(load_codes(block + 256), 0x10));
    }
    if constexpr (Bits == 6) {
      const U8x64 plane = load_codes(block + 256 + 64 * (J / 4));
      return bor(nibbles, shift_mask<2 * (J % 4) - 4>(plane, 0x30));
    }
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
  if constexpr (F.bits == 8) return dot8(acc, codes, q);
  return dot7(acc, codes, q);
}

/// What dot leaves to be taken off per unit of the sum of q.
template <P16Format F>
constexpr int dot_zero() noexcept {
  return F.bits == 8 ? kZero8 : F.zero;
}

/// First-level scales, as the step needs them: 16 rows each.
struct BlockScales {
  F32x16 scale;   // f16 scale, or d
  F32x16 offset;  // offset, or -(dmin * sub-minimum); formats with offset only
  I32x16 sub0, sub1;
};

template <P16Format F>
inline BlockScales load_scales(const uint8_t* block, const uint8_t* tail) noexcept {
  const uint8_t* p = block + code_bytes(F);
  BlockScales s = {};
  if constexpr (F.levels == 1) {
    s.scale = load_f16(reinterpret_cast<const uint16_t*>(p));
    if constexpr (F.offset) s.offset = load_f16(reinterpret_cast<const uint16_t*>(p) + 16);
  } else {
    s.scale = load_f16(reinterpret_cast<const uint16_t*>(tail));
    if constexpr (F.subgroups == 2) {
      s.sub0 = load_s8(p);
      s.sub1 = load_s8(p + 16);
    } else {
      s.sub0 = load_u8(p);
    }
    if constexpr (F.offset) {
      const F32x16 dmin = load_f16(reinterpret_cast<const uint16_t*>(tail) + 16);
      s.offset = mul(sub(splat(0.0F), dmin), to_f32(load_u8(p + 16 * F.subgroups)));
    }
  }
  return s;
}

/// float(I) of a run from the dots of its sub-groups (zero already taken off).
template <P16Format F>
inline F32x16 run_value(I32x16 i0, I32x16 i1, const BlockScales& s) noexcept {
  if constexpr (F.levels == 1) return to_f32(add(i0, i1));
  if constexpr (F.subgroups == 2) return to_f32(add(mul(i0, s.sub0), mul(i1, s.sub1)));
  return to_f32(mul(add(i0, i1), s.sub0));
}

}  // namespace colonnade::kernels::CN_ISA
