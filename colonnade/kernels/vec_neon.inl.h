// The 16-lane vector in four NEON registers (Armv8.0-A): a has lanes 0..3, d lanes 12..15.
// CN_DOTPROD: the integer dot is sdot.
#pragma once

#include <arm_neon.h>

#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

// 32 registers. 4 x 1: 16 of i32, 4 of codes, 4 quads and the products; the f32 accumulators are
// touched once per block and may live on the stack. 6 x 1 dense: 24 + 4 + 1.
constexpr int kGroupedRows = 4, kGroupedPanels = 1, kDenseRows = 6, kDensePanels = 1;
constexpr int64_t kTokenTile =
    264;  // tokens that meet an expanded chunk: it and they fit a 512 KiB L2

struct F32x16 {
  float32x4_t a, b, c, d;
};
struct I32x16 {
  int32x4_t a, b, c, d;
};
struct U8x64 {
  uint8x16_t a, b, c, d;
};

/// f of each register of the operands.
template <typename R, typename F, typename... V>
[[gnu::always_inline]] inline R each(const F& f, const V&... v) noexcept {
  return {f(v.a...), f(v.b...), f(v.c...), f(v.d...)};
}

inline F32x16 load(const float* p) noexcept {
  return {vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)};
}
inline void store(float* p, F32x16 v) noexcept {
  vst1q_f32(p, v.a);
  vst1q_f32(p + 4, v.b);
  vst1q_f32(p + 8, v.c);
  vst1q_f32(p + 12, v.d);
}
inline F32x16 splat(float x) noexcept {
  const float32x4_t v = vdupq_n_f32(x);
  return {v, v, v, v};
}
inline F32x16 add(F32x16 a, F32x16 b) noexcept {
  return each<F32x16>([](auto x, auto y) noexcept { return vaddq_f32(x, y); }, a, b);
}
inline F32x16 sub(F32x16 a, F32x16 b) noexcept {
  return each<F32x16>([](auto x, auto y) noexcept { return vsubq_f32(x, y); }, a, b);
}
inline F32x16 mul(F32x16 a, F32x16 b) noexcept {
  return each<F32x16>([](auto x, auto y) noexcept { return vmulq_f32(x, y); }, a, b);
}
inline F32x16 div(F32x16 a, F32x16 b) noexcept {
  return each<F32x16>([](auto x, auto y) noexcept { return vdivq_f32(x, y); }, a, b);
}
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) noexcept {
  return each<F32x16>([](auto x, auto y, auto z) noexcept { return vfmaq_f32(z, x, y); }, a, b, c);
}
// Not fmax and fmin, which order zeros and choose numbers over NaNs: a comparison and a selection.
inline F32x16 max(F32x16 a, F32x16 b) noexcept {
  return each<F32x16>([](auto x, auto y) noexcept { return vbslq_f32(vcgtq_f32(x, y), x, y); }, a,
                      b);
}
inline F32x16 min(F32x16 a, F32x16 b) noexcept {
  return each<F32x16>([](auto x, auto y) noexcept { return vbslq_f32(vcltq_f32(x, y), x, y); }, a,
                      b);
}
inline F32x16 select_gt(F32x16 a, F32x16 b, F32x16 x, F32x16 y) noexcept {
  return each<F32x16>([](auto p, auto q, auto yes,
                         auto no) noexcept { return vbslq_f32(vcgtq_f32(p, q), yes, no); },
                      a, b, x, y);
}

inline I32x16 load(const int32_t* p) noexcept {
  return {vld1q_s32(p), vld1q_s32(p + 4), vld1q_s32(p + 8), vld1q_s32(p + 12)};
}
inline void store(int32_t* p, I32x16 v) noexcept {
  vst1q_s32(p, v.a);
  vst1q_s32(p + 4, v.b);
  vst1q_s32(p + 8, v.c);
  vst1q_s32(p + 12, v.d);
}
inline I32x16 splat(int32_t x) noexcept {
  const int32x4_t v = vdupq_n_s32(x);
  return {v, v, v, v};
}
inline I32x16 add(I32x16 a, I32x16 b) noexcept {
  return each<I32x16>([](auto x, auto y) noexcept { return vaddq_s32(x, y); }, a, b);
}
inline I32x16 sub(I32x16 a, I32x16 b) noexcept {
  return each<I32x16>([](auto x, auto y) noexcept { return vsubq_s32(x, y); }, a, b);
}
inline I32x16 mul(I32x16 a, I32x16 b) noexcept {
  return each<I32x16>([](auto x, auto y) noexcept { return vmulq_s32(x, y); }, a, b);
}
inline I32x16 max(I32x16 a, I32x16 b) noexcept {
  return each<I32x16>([](auto x, auto y) noexcept { return vmaxq_s32(x, y); }, a, b);
}
inline I32x16 min(I32x16 a, I32x16 b) noexcept {
  return each<I32x16>([](auto x, auto y) noexcept { return vminq_s32(x, y); }, a, b);
}
inline I32x16 band(I32x16 a, I32x16 b) noexcept {
  return each<I32x16>([](auto x, auto y) noexcept { return vandq_s32(x, y); }, a, b);
}
inline I32x16 bor(I32x16 a, I32x16 b, I32x16 c) noexcept {
  return each<I32x16>([](auto x, auto y, auto z) noexcept { return vorrq_s32(vorrq_s32(x, y), z); },
                      a, b, c);
}
inline bool any_bits(I32x16 a, int32_t mask) noexcept {
  const int32x4_t all = vorrq_s32(vorrq_s32(a.a, a.b), vorrq_s32(a.c, a.d));
  return vmaxvq_u32(vreinterpretq_u32_s32(vandq_s32(all, vdupq_n_s32(mask)))) != 0;
}
template <int N>
inline I32x16 shl(I32x16 a) noexcept {
  return each<I32x16>([](auto x) noexcept { return vshlq_n_s32(x, N); }, a);
}
template <int N>
inline I32x16 shr(I32x16 a) noexcept {
  if constexpr (N == 0) return a;  // no encoding of vshr has it
  return each<I32x16>(
      [](auto x) noexcept {
        return vreinterpretq_s32_u32(vshrq_n_u32(vreinterpretq_u32_s32(x), N == 0 ? 1 : N));
      },
      a);
}
template <int N>
inline I32x16 sar(I32x16 a) noexcept {
  return each<I32x16>([](auto x) noexcept { return vshrq_n_s32(x, N); }, a);
}
inline F32x16 to_f32(I32x16 a) noexcept {
  return each<F32x16>([](auto x) noexcept { return vcvtq_f32_s32(x); }, a);
}
inline I32x16 to_i32(F32x16 a) noexcept {
  return each<I32x16>([](auto x) noexcept { return vcvtnq_s32_f32(x); }, a);
}
inline I32x16 bits(F32x16 a) noexcept {
  return each<I32x16>([](auto x) noexcept { return vreinterpretq_s32_f32(x); }, a);
}
inline F32x16 from_bits(I32x16 a) noexcept {
  return each<F32x16>([](auto x) noexcept { return vreinterpretq_f32_s32(x); }, a);
}
inline I32x16 lane_numbers() noexcept {
  const int32x4_t first = vcombine_s32(vcreate_s32(0x100000000), vcreate_s32(0x300000002));
  const auto from = [&](int32_t lane) noexcept { return vaddq_s32(first, vdupq_n_s32(lane)); };
  return {first, from(4), from(8), from(12)};
}
inline F32x16 keep_lanes(F32x16 a, int64_t begin, int64_t end, float other) noexcept {
  const auto clamped = [](int64_t lane) noexcept {
    return vdupq_n_s32(static_cast<int32_t>(lane < 0 ? 0 : lane > 16 ? 16 : lane));
  };
  const int32x4_t b = clamped(begin), e = clamped(end);
  const float32x4_t o = vdupq_n_f32(other);
  return each<F32x16>(
      [&](auto x, auto lane) noexcept {
        return vbslq_f32(vandq_u32(vcgeq_s32(lane, b), vcltq_s32(lane, e)), x, o);
      },
      a, lane_numbers());
}

inline F32x16 load_bf16(const uint16_t* p) noexcept {
  const auto wide = [](uint16x4_t x) noexcept { return vreinterpretq_f32_u32(vshll_n_u16(x, 16)); };
  return {wide(vld1_u16(p)), wide(vld1_u16(p + 4)), wide(vld1_u16(p + 8)), wide(vld1_u16(p + 12))};
}
inline float32x4_t f16_to_f32(uint16x4_t x) noexcept {
  return vcvt_f32_f16(vreinterpret_f16_u16(x));
}
inline F32x16 load_f16(const uint16_t* p) noexcept {
  return {f16_to_f32(vld1_u16(p)), f16_to_f32(vld1_u16(p + 4)), f16_to_f32(vld1_u16(p + 8)),
          f16_to_f32(vld1_u16(p + 12))};
}
inline F32x16 f16_low(I32x16 a) noexcept {
  return each<F32x16>(
      [](auto x) noexcept { return f16_to_f32(vmovn_u32(vreinterpretq_u32_s32(x))); }, a);
}
inline uint16x4_t to_bf16(float32x4_t a) noexcept {
  const uint32x4_t x = vreinterpretq_u32_f32(a);
  const uint32x4_t top = vshrq_n_u32(x, 16);
  const uint32x4_t odd = vandq_u32(top, vdupq_n_u32(1));
  const uint32x4_t sum = vaddq_u32(vaddq_u32(x, vdupq_n_u32(0x7fff)), odd);
  const uint32x4_t nan = vorrq_u32(top, vdupq_n_u32(0x40));
  return vmovn_u32(vbslq_u32(vceqq_f32(a, a), vshrq_n_u32(sum, 16), nan));
}
inline void store_bf16(uint16_t* p, F32x16 v) noexcept {
  vst1_u16(p, to_bf16(v.a));
  vst1_u16(p + 4, to_bf16(v.b));
  vst1_u16(p + 8, to_bf16(v.c));
  vst1_u16(p + 12, to_bf16(v.d));
}
inline I32x16 load_u8(const uint8_t* p) noexcept {
  const uint8x16_t all = vld1q_u8(p);
  const uint16x8_t low = vmovl_u8(vget_low_u8(all)), high = vmovl_high_u8(all);
  const auto wide = [](uint16x4_t x) noexcept { return vreinterpretq_s32_u32(vmovl_u16(x)); };
  return {wide(vget_low_u16(low)), wide(vget_high_u16(low)), wide(vget_low_u16(high)),
          wide(vget_high_u16(high))};
}
inline I32x16 load_s8(const uint8_t* p) noexcept {
  const int8x16_t all = vreinterpretq_s8_u8(vld1q_u8(p));
  const int16x8_t low = vmovl_s8(vget_low_s8(all)), high = vmovl_high_s8(all);
  return {vmovl_s16(vget_low_s16(low)), vmovl_high_s16(low), vmovl_s16(vget_low_s16(high)),
          vmovl_high_s16(high)};
}
inline I32x16 load_u8_pairs(const uint8_t* p) noexcept {
  const uint8x16_t first = vld1q_u8(p), second = vld1q_u8(p + 16);
  const auto words = [](uint16x8_t x) noexcept { return vreinterpretq_s32_u16(x); };
  return {words(vmovl_u8(vget_low_u8(first))), words(vmovl_high_u8(first)),
          words(vmovl_u8(vget_low_u8(second))), words(vmovl_high_u8(second))};
}
inline I32x16 load_s8_pairs(const uint8_t* p) noexcept {
  const int8x16_t first = vreinterpretq_s8_u8(vld1q_u8(p));
  const int8x16_t second = vreinterpretq_s8_u8(vld1q_u8(p + 16));
  const auto words = [](int16x8_t x) noexcept { return vreinterpretq_s32_s16(x); };
  return {words(vmovl_s8(vget_low_s8(first))), words(vmovl_high_s8(first)),
          words(vmovl_s8(vget_low_s8(second))), words(vmovl_high_s8(second))};
}
inline I32x16 join_words(I32x16 low, I32x16 high) noexcept {
  return each<I32x16>([](auto x, auto y) noexcept { return vsliq_n_s32(x, y, 16); }, low, high);
}
inline I32x16 dot_words(I32x16 a, I32x16 b) noexcept {
  return each<I32x16>(
      [](auto x, auto y) noexcept {
        const int16x8_t p = vreinterpretq_s16_s32(x), q = vreinterpretq_s16_s32(y);
        return vpaddq_s32(vmull_s16(vget_low_s16(p), vget_low_s16(q)), vmull_high_s16(p, q));
      },
      a, b);
}
inline void store_i8(int8_t* p, I32x16 v) noexcept {
  const int16x8_t low = vcombine_s16(vmovn_s32(v.a), vmovn_s32(v.b));
  const int16x8_t high = vcombine_s16(vmovn_s32(v.c), vmovn_s32(v.d));
  vst1q_s8(p, vcombine_s8(vmovn_s16(low), vmovn_s16(high)));
}

// The pairwise sum of two lanes is their one rounded sum, in either order.
inline float reduce_add(F32x16 v) noexcept {
  const float32x4_t x = vaddq_f32(vaddq_f32(v.a, v.c), vaddq_f32(v.b, v.d));
  return vpadds_f32(vadd_f32(vget_low_f32(x), vget_high_f32(x)));
}
inline float reduce_max(F32x16 v) noexcept {
  const auto larger = [](float32x4_t x, float32x4_t y) noexcept {
    return vbslq_f32(vcgtq_f32(x, y), x, y);
  };
  const float32x4_t x = larger(larger(v.a, v.c), larger(v.b, v.d));
  const float32x2_t low = vget_low_f32(x), high = vget_high_f32(x);
  const float32x2_t y = vbsl_f32(vcgt_f32(low, high), low, high);
  const float first = vget_lane_f32(y, 0), second = vget_lane_f32(y, 1);
  return first > second ? first : second;
}
inline int32_t reduce_add(I32x16 v) noexcept {
  return vaddvq_s32(vaddq_s32(vaddq_s32(v.a, v.b), vaddq_s32(v.c, v.d)));
}
inline int32_t reduce_max(I32x16 v) noexcept {
  return vmaxvq_s32(vmaxq_s32(vmaxq_s32(v.a, v.b), vmaxq_s32(v.c, v.d)));
}

inline U8x64 load_codes(const uint8_t* p) noexcept {
  return {vld1q_u8(p), vld1q_u8(p + 16), vld1q_u8(p + 32), vld1q_u8(p + 48)};
}
inline U8x64 load_codes_once(const uint8_t* p) noexcept { return load_codes(p); }
inline void store_codes(uint8_t* p, U8x64 v) noexcept {
  vst1q_u8(p, v.a);
  vst1q_u8(p + 16, v.b);
  vst1q_u8(p + 32, v.c);
  vst1q_u8(p + 48, v.d);
}
inline U8x64 bor(U8x64 a, U8x64 b) noexcept {
  return each<U8x64>([](auto x, auto y) noexcept { return vorrq_u8(x, y); }, a, b);
}
template <int N>
inline U8x64 shift_mask(U8x64 a, uint8_t mask) noexcept {
  U8x64 shifted = a;
  if constexpr (N > 0) {
    shifted = each<U8x64>([](auto x) noexcept { return vshrq_n_u8(x, N); }, a);
    if (mask == 0xff >> N) return shifted;  // there are no other bits
  }
  if constexpr (N < 0) {
    shifted = each<U8x64>([](auto x) noexcept { return vshlq_n_u8(x, -N); }, a);
  }
  const uint8x16_t m = vdupq_n_u8(mask);
  return each<U8x64>([&](auto x) noexcept { return vandq_u8(x, m); }, shifted);
}
template <int N>
inline U8x64 merge_shifted(U8x64 base, U8x64 a, uint8_t mask) noexcept {
  return bor(base, shift_mask<N>(a, mask));
}

inline U8x64 lookup(const uint8_t* entries, U8x64 codes) noexcept {
  const uint8x16_t table = vld1q_u8(entries);
  return each<U8x64>([&](auto c) noexcept { return vqtbl1q_u8(table, c); }, codes);
}

template <int kByte>
inline U8x64 e4m3_words(U8x64 a) noexcept {
  return each<U8x64>(
      [](auto x) noexcept {
        const int16x8_t words = vreinterpretq_s16_u8(x);
        const int16x8_t top = kByte == 0 ? vshlq_n_s16(words, 8) : words;
        const int16x8_t mask = vdupq_n_s16(static_cast<int16_t>(kE4m3Mask));
        return vreinterpretq_u8_s16(vandq_s16(vshrq_n_s16(top, 1), mask));
      },
      a);
}
template <int kHalf>
inline F32x16 f16_words(U8x64 a) noexcept {
  const uint16x8_t first = vreinterpretq_u16_u8(kHalf == 0 ? a.a : a.c);
  const uint16x8_t second = vreinterpretq_u16_u8(kHalf == 0 ? a.b : a.d);
  return {f16_to_f32(vget_low_u16(first)), f16_to_f32(vget_high_u16(first)),
          f16_to_f32(vget_low_u16(second)), f16_to_f32(vget_high_u16(second))};
}

inline int8x16_t quad(const int8_t* q) noexcept {
  int32_t x;
  __builtin_memcpy(&x, q, 4);
  return vreinterpretq_s8_s32(vdupq_n_s32(x));
}

#ifdef CN_DOTPROD
constexpr bool kDotIsOneInstruction = true;
inline int32x4_t dot_signed(int32x4_t acc, uint8x16_t codes, int8x16_t x) noexcept {
  return vdotq_s32(acc, vreinterpretq_s8_u8(codes), x);
}
#else
// Two products of at most 128 * 127 fit 16 bits, so neighbours are added there.
constexpr bool kDotIsOneInstruction = false;
inline int32x4_t dot_signed(int32x4_t acc, uint8x16_t codes, int8x16_t x) noexcept {
  const int8x16_t c = vreinterpretq_s8_u8(codes);
  const int16x8_t low = vmull_s8(vget_low_s8(c), vget_low_s8(x));
  return vpadalq_s16(acc, vpaddq_s16(low, vmull_high_s8(c, x)));
}
#endif
inline I32x16 dot7(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  const int8x16_t x = quad(q);
  return each<I32x16>([&](auto sum, auto c) noexcept { return dot_signed(sum, c, x); }, acc, codes);
}
// There is no product of unsigned by signed bytes: 8-bit codes become signed ones.
constexpr int kZero8 = 0;
inline I32x16 dot8(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  const uint8x16_t top = vdupq_n_u8(0x80);
  return dot7(acc, each<U8x64>([&](auto c) noexcept { return veorq_u8(c, top); }, codes), q);
}

inline uint32_t out_of_range(F32x16 v, float limit) noexcept {
  const float32x4_t l = vdupq_n_f32(limit);
  const uint32x4_t bit = vcombine_u32(vcreate_u32(0x200000001), vcreate_u32(0x800000004));
  const auto inside = [&](float32x4_t x) noexcept {
    return vaddvq_u32(vandq_u32(vcaltq_f32(x, l), bit));
  };
  return 0xffffU & ~(inside(v.a) | inside(v.b) << 4 | inside(v.c) << 8 | inside(v.d) << 12);
}
inline void add_fixed2(int64_t* sums, float64x2_t v) noexcept {
  const int64x2_t steps = vcvtnq_s64_f64(vmulq_f64(v, vdupq_n_f64(0x1p36)));
  vst1q_s64(sums, vaddq_s64(vld1q_s64(sums), steps));
}
inline void add_fixed4(int64_t* sums, float32x4_t v) noexcept {
  add_fixed2(sums, vcvt_f64_f32(vget_low_f32(v)));
  add_fixed2(sums + 2, vcvt_high_f64_f32(v));
}
inline void add_fixed(int64_t* sums, F32x16 v) noexcept {
  add_fixed4(sums, v.a);
  add_fixed4(sums + 4, v.b);
  add_fixed4(sums + 8, v.c);
  add_fixed4(sums + 12, v.d);
}
inline void add_parts4(int64_t* sums, int32x4_t high, int32x4_t low) noexcept {
  const int64x2_t first = vshll_n_s32(vget_low_s32(high), 23);
  const int64x2_t second = vshll_high_n_s32(high, 23);
  vst1q_s64(sums, vaddq_s64(vld1q_s64(sums), vaddw_s32(first, vget_low_s32(low))));
  vst1q_s64(sums + 2, vaddq_s64(vld1q_s64(sums + 2), vaddw_high_s32(second, low)));
}
inline void add_parts(int64_t* sums, I32x16 high, I32x16 low) noexcept {
  add_parts4(sums, high.a, low.a);
  add_parts4(sums + 4, high.b, low.b);
  add_parts4(sums + 8, high.c, low.c);
  add_parts4(sums + 12, high.d, low.d);
}
inline float32x4_t from_fixed4(const int64_t* sums) noexcept {
  const float64x2_t step = vdupq_n_f64(0x1p-36);
  const float64x2_t low = vmulq_f64(vcvtq_f64_s64(vld1q_s64(sums)), step);
  const float64x2_t high = vmulq_f64(vcvtq_f64_s64(vld1q_s64(sums + 2)), step);
  return vcvt_high_f32_f64(vcvt_f32_f64(low), high);
}
inline F32x16 from_fixed(const int64_t* sums) noexcept {
  return {from_fixed4(sums), from_fixed4(sums + 4), from_fixed4(sums + 8), from_fixed4(sums + 12)};
}
[[gnu::always_inline]] inline void prefetch(const void* p) noexcept { __builtin_prefetch(p); }
[[gnu::always_inline]] inline void prefetch_to_l2(const void* p) noexcept {
  __builtin_prefetch(p, 0, 2);
}

}  // namespace colonnade::kernels::CN_ISA
