// The 16-lane vector in one AVX-512 register (F, BW, DQ, VL). CN_VNNI: the integer dot is vpdpbusd.
#pragma once

#include <immintrin.h>

#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

// 6 x 2: 12 i32 and 12 f32 accumulators, 2 code lines and temporaries fill 32 registers. 12 x 2
// dense: 24 + 2.
constexpr int kGroupedRows = 6, kGroupedPanels = 2, kDenseRows = 12, kDensePanels = 2;
constexpr int64_t kTokenTile =
    528;  // tokens that meet an expanded chunk: it and they fit a 1 MiB L2

struct F32x16 {
  __m512 v;
};
struct I32x16 {
  __m512i v;
};
struct U8x64 {
  __m512i v;
};

inline F32x16 load(const float* p) noexcept { return {_mm512_loadu_ps(p)}; }
inline void store(float* p, F32x16 a) noexcept { _mm512_storeu_ps(p, a.v); }
inline F32x16 splat(float x) noexcept { return {_mm512_set1_ps(x)}; }
inline F32x16 add(F32x16 a, F32x16 b) noexcept { return {_mm512_add_ps(a.v, b.v)}; }
inline F32x16 sub(F32x16 a, F32x16 b) noexcept { return {_mm512_sub_ps(a.v, b.v)}; }
inline F32x16 mul(F32x16 a, F32x16 b) noexcept { return {_mm512_mul_ps(a.v, b.v)}; }
inline F32x16 div(F32x16 a, F32x16 b) noexcept { return {_mm512_div_ps(a.v, b.v)}; }
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) noexcept {
  return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
inline F32x16 max(F32x16 a, F32x16 b) noexcept { return {_mm512_max_ps(a.v, b.v)}; }
inline F32x16 min(F32x16 a, F32x16 b) noexcept { return {_mm512_min_ps(a.v, b.v)}; }
inline F32x16 select_gt(F32x16 a, F32x16 b, F32x16 x, F32x16 y) noexcept {
  return {_mm512_mask_blend_ps(_mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ), y.v, x.v)};
}
inline F32x16 keep_lanes(F32x16 a, int64_t begin, int64_t end, float other) noexcept {
  const uint32_t below_end = end >= 16 ? 0xffffU : end <= 0 ? 0U : (1U << end) - 1;
  const uint32_t below_begin = begin >= 16 ? 0xffffU : begin <= 0 ? 0U : (1U << begin) - 1;
  const auto keep = static_cast<__mmask16>(below_end & ~below_begin);
  return {_mm512_mask_blend_ps(keep, _mm512_set1_ps(other), a.v)};
}

inline I32x16 load(const int32_t* p) noexcept { return {_mm512_loadu_si512(p)}; }
inline void store(int32_t* p, I32x16 a) noexcept { _mm512_storeu_si512(p, a.v); }
inline I32x16 splat(int32_t x) noexcept { return {_mm512_set1_epi32(x)}; }
inline I32x16 add(I32x16 a, I32x16 b) noexcept { return {_mm512_add_epi32(a.v, b.v)}; }
inline I32x16 sub(I32x16 a, I32x16 b) noexcept { return {_mm512_sub_epi32(a.v, b.v)}; }
inline I32x16 mul(I32x16 a, I32x16 b) noexcept { return {_mm512_mullo_epi32(a.v, b.v)}; }
inline I32x16 max(I32x16 a, I32x16 b) noexcept { return {_mm512_max_epi32(a.v, b.v)}; }
inline I32x16 min(I32x16 a, I32x16 b) noexcept { return {_mm512_min_epi32(a.v, b.v)}; }
inline I32x16 band(I32x16 a, I32x16 b) noexcept { return {_mm512_and_si512(a.v, b.v)}; }
inline I32x16 bor(I32x16 a, I32x16 b, I32x16 c) noexcept {
  return {_mm512_ternarylogic_epi32(a.v, b.v, c.v, 0xfe)};
}
inline bool any_bits(I32x16 a, int32_t mask) noexcept {
  return _mm512_test_epi32_mask(a.v, _mm512_set1_epi32(mask)) != 0;
}
template <int N>
inline I32x16 shl(I32x16 a) noexcept {
  return {_mm512_slli_epi32(a.v, N)};
}
template <int N>
inline I32x16 shr(I32x16 a) noexcept {
  return {_mm512_srli_epi32(a.v, N)};
}
template <int N>
inline I32x16 sar(I32x16 a) noexcept {
  return {_mm512_srai_epi32(a.v, N)};
}
inline F32x16 to_f32(I32x16 a) noexcept { return {_mm512_cvtepi32_ps(a.v)}; }
inline I32x16 to_i32(F32x16 a) noexcept { return {_mm512_cvtps_epi32(a.v)}; }
inline I32x16 bits(F32x16 a) noexcept { return {_mm512_castps_si512(a.v)}; }
inline F32x16 from_bits(I32x16 a) noexcept { return {_mm512_castsi512_ps(a.v)}; }

inline F32x16 load_bf16(const uint16_t* p) noexcept {
  const __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16))};
}
inline F32x16 load_f16(const uint16_t* p) noexcept {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
inline F32x16 f16_low(I32x16 a) noexcept { return {_mm512_cvtph_ps(_mm512_cvtepi32_epi16(a.v))}; }
inline void store_bf16(uint16_t* p, F32x16 a) noexcept {
  const __m512i x = _mm512_castps_si512(a.v);
  const __m512i top = _mm512_srli_epi32(x, 16);
  const __m512i odd = _mm512_and_si512(top, _mm512_set1_epi32(1));
  const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(x, _mm512_set1_epi32(0x7fff)), odd);
  const __mmask16 nan = _mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q);
  const __m512i rounded =
      _mm512_mask_or_epi32(_mm512_srli_epi32(sum, 16), nan, top, _mm512_set1_epi32(0x40));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(rounded));
}
inline I32x16 load_u8(const uint8_t* p) noexcept {
  return {_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
inline I32x16 load_s8(const uint8_t* p) noexcept {
  return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
inline I32x16 load_u8_pairs(const uint8_t* p) noexcept {
  return {_mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
inline I32x16 load_s8_pairs(const uint8_t* p) noexcept {
  return {_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
inline I32x16 join_words(I32x16 low, I32x16 high) noexcept {
  return {_mm512_mask_blend_epi16(0xaaaaaaaa, low.v, _mm512_slli_epi32(high.v, 16))};
}
inline I32x16 dot_words(I32x16 a, I32x16 b) noexcept { return {_mm512_madd_epi16(a.v, b.v)}; }
inline void store_i8(int8_t* p, I32x16 a) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a.v));
}

inline float reduce_add(F32x16 a) noexcept {
  __m256 x = _mm256_add_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_add_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_add_ss(y, _mm_movehdup_ps(y)));
}
inline float reduce_max(F32x16 a) noexcept {
  __m256 x = _mm256_max_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_max_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}
inline int32_t reduce_add(I32x16 a) noexcept { return _mm512_reduce_add_epi32(a.v); }
inline int32_t reduce_max(I32x16 a) noexcept { return _mm512_reduce_max_epi32(a.v); }

inline U8x64 load_codes(const uint8_t* p) noexcept { return {_mm512_loadu_si512(p)}; }
// Without this gcc 12 makes a memory operand of every use.
inline U8x64 load_codes_once(const uint8_t* p) noexcept {
  __m512i codes = _mm512_loadu_si512(p);
  asm("" : "+v"(codes));
  return {codes};
}
inline void store_codes(uint8_t* p, U8x64 a) noexcept { _mm512_storeu_si512(p, a.v); }
inline U8x64 bor(U8x64 a, U8x64 b) noexcept { return {_mm512_or_si512(a.v, b.v)}; }
inline U8x64 lookup(const uint8_t* entries, U8x64 codes) noexcept {
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(entries));
  return {_mm512_shuffle_epi8(_mm512_broadcast_i32x4(all), codes.v)};
}
template <int N>
inline __m512i shift16(__m512i a) noexcept {
  if constexpr (N > 0) return _mm512_srli_epi16(a, N);
  if constexpr (N < 0) return _mm512_slli_epi16(a, -N);
  return a;
}
template <int N>
inline U8x64 shift_mask(U8x64 a, uint8_t mask) noexcept {
  return {_mm512_and_si512(shift16<N>(a.v), _mm512_set1_epi8(static_cast<char>(mask)))};
}
template <int N>
inline U8x64 merge_shifted(U8x64 base, U8x64 a, uint8_t mask) noexcept {
  const __m512i m = _mm512_set1_epi8(static_cast<char>(mask));
  return {_mm512_ternarylogic_epi64(base.v, shift16<N>(a.v), m, 0xf8)};
}

template <int kByte>
inline U8x64 e4m3_words(U8x64 a) noexcept {
  const __m512i top = kByte == 0 ? _mm512_slli_epi16(a.v, 8) : a.v;
  return {_mm512_and_si512(_mm512_srai_epi16(top, 1),
                           _mm512_set1_epi16(static_cast<int16_t>(kE4m3Mask)))};
}
template <int kHalf>
inline F32x16 f16_words(U8x64 a) noexcept {
  return {_mm512_cvtph_ps(kHalf == 0 ? _mm512_castsi512_si256(a.v)
                                     : _mm512_extracti64x4_epi64(a.v, 1))};
}

inline int32_t quad(const int8_t* q) noexcept {
  int32_t x;
  __builtin_memcpy(&x, q, 4);
  return x;
}

#ifdef CN_VNNI
inline I32x16 dot7(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  return {_mm512_dpbusd_epi32(acc.v, codes.v, _mm512_set1_epi32(quad(q)))};
}
constexpr int kZero8 = 128;
constexpr bool kDotIsOneInstruction = true;
inline I32x16 dot8(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  return dot7(acc, codes, q);
}
#else
inline I32x16 dot7(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  const __m512i pairs = _mm512_maddubs_epi16(codes.v, _mm512_set1_epi32(quad(q)));
  return {_mm512_add_epi32(acc.v, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))};
}
// vpmaddubsw saturates for codes above 127, so 8-bit codes are taken as signed ones: |c| * (q with
// c's sign), 128 * 127 * 2 fits.
constexpr int kZero8 = 0;
constexpr bool kDotIsOneInstruction = false;
inline I32x16 dot8(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  const __m512i c = _mm512_xor_si512(codes.v, _mm512_set1_epi8(static_cast<char>(0x80)));
  const __m512i x = _mm512_set1_epi32(quad(q));
  const __m512i signed_x =
      _mm512_mask_sub_epi8(x, _mm512_movepi8_mask(c), _mm512_setzero_si512(), x);
  const __m512i pairs = _mm512_maddubs_epi16(_mm512_abs_epi8(c), signed_x);
  return {_mm512_add_epi32(acc.v, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))};
}
#endif

inline uint32_t out_of_range(F32x16 a, float limit) noexcept {
  return 0xffffU & ~static_cast<uint32_t>(
                       _mm512_cmp_ps_mask(_mm512_abs_ps(a.v), _mm512_set1_ps(limit), _CMP_LT_OQ));
}
// a * 2^36 is exact in f32, so the conversion's rounding is the only one.
inline void add_fixed(int64_t* sums, F32x16 a) noexcept {
  const __m512 steps = _mm512_mul_ps(a.v, _mm512_set1_ps(0x1p36F));
  const __m512i low = _mm512_cvtps_epi64(_mm512_castps512_ps256(steps));
  const __m512i high = _mm512_cvtps_epi64(_mm512_extractf32x8_ps(steps, 1));
  _mm512_storeu_si512(sums, _mm512_add_epi64(_mm512_loadu_si512(sums), low));
  _mm512_storeu_si512(sums + 8, _mm512_add_epi64(_mm512_loadu_si512(sums + 8), high));
}
inline void add_parts(int64_t* sums, I32x16 high, I32x16 low) noexcept {
  for (int half = 0; half < 2; ++half) {
    const __m256i h =
        half == 0 ? _mm512_castsi512_si256(high.v) : _mm512_extracti64x4_epi64(high.v, 1);
    const __m256i l =
        half == 0 ? _mm512_castsi512_si256(low.v) : _mm512_extracti64x4_epi64(low.v, 1);
    const __m512i steps =
        _mm512_add_epi64(_mm512_slli_epi64(_mm512_cvtepi32_epi64(h), 23), _mm512_cvtepi32_epi64(l));
    int64_t* p = sums + 8 * half;
    _mm512_storeu_si512(p, _mm512_add_epi64(_mm512_loadu_si512(p), steps));
  }
}
inline F32x16 from_fixed(const int64_t* sums) noexcept {
  const __m512d step = _mm512_set1_pd(0x1p-36);
  const __m512d low = _mm512_mul_pd(_mm512_cvtepi64_pd(_mm512_loadu_si512(sums)), step);
  const __m512d high = _mm512_mul_pd(_mm512_cvtepi64_pd(_mm512_loadu_si512(sums + 8)), step);
  return {
      _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1)};
}
[[gnu::always_inline]] inline void prefetch(const void* p) noexcept {
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
}
[[gnu::always_inline]] inline void prefetch_to_l2(const void* p) noexcept {
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
}

}  // namespace colonnade::kernels::CN_ISA
