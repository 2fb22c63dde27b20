// The 16-lane vector in two AVX2 registers (AVX2, FMA, F16C): lanes 0..7 and 8..15. CN_VNNI: the
// integer dot is AVX-VNNI's.
#pragma once

#include <immintrin.h>

#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

// 4 x 1: 8 registers of i32; the f32 accumulators are touched once per block and may live on the
// stack. 6 x 1 dense: 12 + 2 + 1.
constexpr int kGroupedRows = 4, kGroupedPanels = 1, kDenseRows = 6, kDensePanels = 1;
constexpr int64_t kTokenTile =
    264;  // tokens that meet an expanded chunk: it and they fit a 512 KiB L2

struct F32x16 {
  __m256 lo, hi;
};
struct I32x16 {
  __m256i lo, hi;
};
struct U8x64 {
  __m256i lo, hi;
};

inline F32x16 load(const float* p) noexcept { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
inline void store(float* p, F32x16 a) noexcept {
  _mm256_storeu_ps(p, a.lo);
  _mm256_storeu_ps(p + 8, a.hi);
}
inline F32x16 splat(float x) noexcept {
  const __m256 v = _mm256_set1_ps(x);
  return {v, v};
}
inline F32x16 add(F32x16 a, F32x16 b) noexcept {
  return {_mm256_add_ps(a.lo, b.lo), _mm256_add_ps(a.hi, b.hi)};
}
inline F32x16 sub(F32x16 a, F32x16 b) noexcept {
  return {_mm256_sub_ps(a.lo, b.lo), _mm256_sub_ps(a.hi, b.hi)};
}
inline F32x16 mul(F32x16 a, F32x16 b) noexcept {
  return {_mm256_mul_ps(a.lo, b.lo), _mm256_mul_ps(a.hi, b.hi)};
}
inline F32x16 div(F32x16 a, F32x16 b) noexcept {
  return {_mm256_div_ps(a.lo, b.lo), _mm256_div_ps(a.hi, b.hi)};
}
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) noexcept {
  return {_mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi)};
}
inline F32x16 max(F32x16 a, F32x16 b) noexcept {
  return {_mm256_max_ps(a.lo, b.lo), _mm256_max_ps(a.hi, b.hi)};
}
inline F32x16 min(F32x16 a, F32x16 b) noexcept {
  return {_mm256_min_ps(a.lo, b.lo), _mm256_min_ps(a.hi, b.hi)};
}
inline F32x16 select_gt(F32x16 a, F32x16 b, F32x16 x, F32x16 y) noexcept {
  return {_mm256_blendv_ps(y.lo, x.lo, _mm256_cmp_ps(a.lo, b.lo, _CMP_GT_OQ)),
          _mm256_blendv_ps(y.hi, x.hi, _mm256_cmp_ps(a.hi, b.hi, _CMP_GT_OQ))};
}

inline I32x16 load(const int32_t* p) noexcept {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 8))};
}
inline void store(int32_t* p, I32x16 a) noexcept {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.lo);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 8), a.hi);
}
inline I32x16 splat(int32_t x) noexcept {
  const __m256i v = _mm256_set1_epi32(x);
  return {v, v};
}
inline I32x16 add(I32x16 a, I32x16 b) noexcept {
  return {_mm256_add_epi32(a.lo, b.lo), _mm256_add_epi32(a.hi, b.hi)};
}
inline I32x16 sub(I32x16 a, I32x16 b) noexcept {
  return {_mm256_sub_epi32(a.lo, b.lo), _mm256_sub_epi32(a.hi, b.hi)};
}
inline I32x16 mul(I32x16 a, I32x16 b) noexcept {
  return {_mm256_mullo_epi32(a.lo, b.lo), _mm256_mullo_epi32(a.hi, b.hi)};
}
inline I32x16 max(I32x16 a, I32x16 b) noexcept {
  return {_mm256_max_epi32(a.lo, b.lo), _mm256_max_epi32(a.hi, b.hi)};
}
inline I32x16 min(I32x16 a, I32x16 b) noexcept {
  return {_mm256_min_epi32(a.lo, b.lo), _mm256_min_epi32(a.hi, b.hi)};
}
inline I32x16 band(I32x16 a, I32x16 b) noexcept {
  return {_mm256_and_si256(a.lo, b.lo), _mm256_and_si256(a.hi, b.hi)};
}
inline I32x16 bor(I32x16 a, I32x16 b, I32x16 c) noexcept {
  return {_mm256_or_si256(_mm256_or_si256(a.lo, b.lo), c.lo),
          _mm256_or_si256(_mm256_or_si256(a.hi, b.hi), c.hi)};
}
inline bool any_bits(I32x16 a, int32_t mask) noexcept {
  return _mm256_testz_si256(_mm256_or_si256(a.lo, a.hi), _mm256_set1_epi32(mask)) == 0;
}
template <int N>
inline I32x16 shl(I32x16 a) noexcept {
  return {_mm256_slli_epi32(a.lo, N), _mm256_slli_epi32(a.hi, N)};
}
template <int N>
inline I32x16 shr(I32x16 a) noexcept {
  return {_mm256_srli_epi32(a.lo, N), _mm256_srli_epi32(a.hi, N)};
}
template <int N>
inline I32x16 sar(I32x16 a) noexcept {
  return {_mm256_srai_epi32(a.lo, N), _mm256_srai_epi32(a.hi, N)};
}
inline F32x16 to_f32(I32x16 a) noexcept {
  return {_mm256_cvtepi32_ps(a.lo), _mm256_cvtepi32_ps(a.hi)};
}
inline I32x16 to_i32(F32x16 a) noexcept {
  return {_mm256_cvtps_epi32(a.lo), _mm256_cvtps_epi32(a.hi)};
}
inline I32x16 bits(F32x16 a) noexcept {
  return {_mm256_castps_si256(a.lo), _mm256_castps_si256(a.hi)};
}
inline F32x16 from_bits(I32x16 a) noexcept {
  return {_mm256_castsi256_ps(a.lo), _mm256_castsi256_ps(a.hi)};
}
inline F32x16 keep_lanes(F32x16 a, int64_t begin, int64_t end, float other) noexcept {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const int b = static_cast<int>(begin < 0 ? 0 : begin > 16 ? 16 : begin);
  const int e = static_cast<int>(end < 0 ? 0 : end > 16 ? 16 : end);
  const auto keep = [&](int first) noexcept {
    const __m256i i = _mm256_add_epi32(lane, _mm256_set1_epi32(first));
    return _mm256_castsi256_ps(_mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(b), i),
                                                   _mm256_cmpgt_epi32(_mm256_set1_epi32(e), i)));
  };
  const __m256 o = _mm256_set1_ps(other);
  return {_mm256_blendv_ps(o, a.lo, keep(0)), _mm256_blendv_ps(o, a.hi, keep(8))};
}

inline F32x16 load_bf16(const uint16_t* p) noexcept {
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  const __m256i lo = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(all));
  const __m256i hi = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(all, 1));
  return {_mm256_castsi256_ps(_mm256_slli_epi32(lo, 16)),
          _mm256_castsi256_ps(_mm256_slli_epi32(hi, 16))};
}
inline F32x16 load_f16(const uint16_t* p) noexcept {
  return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))),
          _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 8)))};
}
/// The low halves of 16 lanes, in order.
inline __m256i low_words(__m256i lo, __m256i hi) noexcept {
  const __m256i mask = _mm256_set1_epi32(0xffff);
  const __m256i packed =
      _mm256_packus_epi32(_mm256_and_si256(lo, mask), _mm256_and_si256(hi, mask));
  return _mm256_permute4x64_epi64(packed, 0xd8);
}
inline F32x16 f16_low(I32x16 a) noexcept {
  const __m256i words = low_words(a.lo, a.hi);
  return {_mm256_cvtph_ps(_mm256_castsi256_si128(words)),
          _mm256_cvtph_ps(_mm256_extracti128_si256(words, 1))};
}
inline __m256i to_bf16_bits(__m256 a) noexcept {
  const __m256i x = _mm256_castps_si256(a);
  const __m256i top = _mm256_srli_epi32(x, 16);
  const __m256i odd = _mm256_and_si256(top, _mm256_set1_epi32(1));
  const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(x, _mm256_set1_epi32(0x7fff)), odd);
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q));
  return _mm256_blendv_epi8(_mm256_srli_epi32(sum, 16),
                            _mm256_or_si256(top, _mm256_set1_epi32(0x40)), nan);
}
inline void store_bf16(uint16_t* p, F32x16 a) noexcept {
  const __m256i words = low_words(to_bf16_bits(a.lo), to_bf16_bits(a.hi));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), words);
}
inline I32x16 load_u8(const uint8_t* p) noexcept {
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {_mm256_cvtepu8_epi32(all), _mm256_cvtepu8_epi32(_mm_srli_si128(all, 8))};
}
inline I32x16 load_s8(const uint8_t* p) noexcept {
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {_mm256_cvtepi8_epi32(all), _mm256_cvtepi8_epi32(_mm_srli_si128(all, 8))};
}
inline I32x16 load_u8_pairs(const uint8_t* p) noexcept {
  const auto* bytes = reinterpret_cast<const __m128i*>(p);
  return {_mm256_cvtepu8_epi16(_mm_loadu_si128(bytes)),
          _mm256_cvtepu8_epi16(_mm_loadu_si128(bytes + 1))};
}
inline I32x16 load_s8_pairs(const uint8_t* p) noexcept {
  const auto* bytes = reinterpret_cast<const __m128i*>(p);
  return {_mm256_cvtepi8_epi16(_mm_loadu_si128(bytes)),
          _mm256_cvtepi8_epi16(_mm_loadu_si128(bytes + 1))};
}
inline I32x16 join_words(I32x16 low, I32x16 high) noexcept {
  return {_mm256_blend_epi16(low.lo, _mm256_slli_epi32(high.lo, 16), 0xaa),
          _mm256_blend_epi16(low.hi, _mm256_slli_epi32(high.hi, 16), 0xaa)};
}
inline I32x16 dot_words(I32x16 a, I32x16 b) noexcept {
  return {_mm256_madd_epi16(a.lo, b.lo), _mm256_madd_epi16(a.hi, b.hi)};
}
inline void store_i8(int8_t* p, I32x16 a) noexcept {
  const __m256i words = _mm256_packs_epi32(a.lo, a.hi);    // 0-3 8-11 | 4-7 12-15
  const __m256i bytes = _mm256_packs_epi16(words, words);  // 0-3 8-11 .. | 4-7 12-15 ..
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bytes, order)));
}

inline float reduce_add(F32x16 a) noexcept {
  const __m256 x = _mm256_add_ps(a.lo, a.hi);
  __m128 y = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_add_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_add_ss(y, _mm_movehdup_ps(y)));
}
inline float reduce_max(F32x16 a) noexcept {
  const __m256 x = _mm256_max_ps(a.lo, a.hi);
  __m128 y = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  y = _mm_max_ps(y, _mm_movehl_ps(y, y));
  return _mm_cvtss_f32(_mm_max_ss(y, _mm_movehdup_ps(y)));
}
inline int32_t reduce_add(I32x16 a) noexcept {
  const __m256i x = _mm256_add_epi32(a.lo, a.hi);
  __m128i y = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  y = _mm_add_epi32(y, _mm_shuffle_epi32(y, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(y, _mm_shuffle_epi32(y, 0xb1)));
}
inline int32_t reduce_max(I32x16 a) noexcept {
  const __m256i x = _mm256_max_epi32(a.lo, a.hi);
  __m128i y = _mm_max_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
  y = _mm_max_epi32(y, _mm_shuffle_epi32(y, 0x4e));
  return _mm_cvtsi128_si32(_mm_max_epi32(y, _mm_shuffle_epi32(y, 0xb1)));
}

inline U8x64 load_codes(const uint8_t* p) noexcept {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 32))};
}
inline U8x64 load_codes_once(const uint8_t* p) noexcept { return load_codes(p); }
inline void store_codes(uint8_t* p, U8x64 a) noexcept {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.lo);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 32), a.hi);
}
inline U8x64 bor(U8x64 a, U8x64 b) noexcept {
  return {_mm256_or_si256(a.lo, b.lo), _mm256_or_si256(a.hi, b.hi)};
}
inline U8x64 lookup(const uint8_t* entries, U8x64 codes) noexcept {
  const __m256i all =
      _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(entries)));
  return {_mm256_shuffle_epi8(all, codes.lo), _mm256_shuffle_epi8(all, codes.hi)};
}
template <int N>
inline __m256i shift16(__m256i a) noexcept {
  if constexpr (N > 0) return _mm256_srli_epi16(a, N);
  if constexpr (N < 0) return _mm256_slli_epi16(a, -N);
  return a;
}
template <int N>
inline U8x64 shift_mask(U8x64 a, uint8_t mask) noexcept {
  const __m256i m = _mm256_set1_epi8(static_cast<char>(mask));
  return {_mm256_and_si256(shift16<N>(a.lo), m), _mm256_and_si256(shift16<N>(a.hi), m)};
}

template <int N>
inline U8x64 merge_shifted(U8x64 base, U8x64 a, uint8_t mask) noexcept {
  return bor(base, shift_mask<N>(a, mask));
}

template <int kByte>
inline __m256i e4m3_words(__m256i a) noexcept {
  const __m256i top = kByte == 0 ? _mm256_slli_epi16(a, 8) : a;
  return _mm256_and_si256(_mm256_srai_epi16(top, 1),
                          _mm256_set1_epi16(static_cast<int16_t>(kE4m3Mask)));
}
template <int kByte>
inline U8x64 e4m3_words(U8x64 a) noexcept {
  return {e4m3_words<kByte>(a.lo), e4m3_words<kByte>(a.hi)};
}
template <int kHalf>
inline F32x16 f16_words(U8x64 a) noexcept {
  const __m256i words = kHalf == 0 ? a.lo : a.hi;
  return {_mm256_cvtph_ps(_mm256_castsi256_si128(words)),
          _mm256_cvtph_ps(_mm256_extracti128_si256(words, 1))};
}

inline __m256i quad(const int8_t* q) noexcept {
  int32_t x;
  __builtin_memcpy(&x, q, 4);
  return _mm256_set1_epi32(x);
}

#ifdef CN_VNNI
inline I32x16 dot7(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  const __m256i x = quad(q);
  return {_mm256_dpbusd_avx_epi32(acc.lo, codes.lo, x),
          _mm256_dpbusd_avx_epi32(acc.hi, codes.hi, x)};
}
constexpr int kZero8 = 128;
constexpr bool kDotIsOneInstruction = true;
inline I32x16 dot8(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  return dot7(acc, codes, q);
}
#else
inline __m256i dot7_half(__m256i acc, __m256i codes, __m256i x) noexcept {
  const __m256i pairs = _mm256_maddubs_epi16(codes, x);
  return _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
inline I32x16 dot7(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  const __m256i x = quad(q);
  return {dot7_half(acc.lo, codes.lo, x), dot7_half(acc.hi, codes.hi, x)};
}
// vpmaddubsw saturates for codes above 127, so 8-bit codes are taken as signed ones: |c| * (q with
// c's sign), 128 * 127 * 2 fits.
constexpr int kZero8 = 0;
constexpr bool kDotIsOneInstruction = false;
inline __m256i dot8_half(__m256i acc, __m256i codes, __m256i x) noexcept {
  const __m256i c = _mm256_xor_si256(codes, _mm256_set1_epi8(static_cast<char>(0x80)));
  return dot7_half(acc, _mm256_abs_epi8(c), _mm256_sign_epi8(x, c));
}
inline I32x16 dot8(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  const __m256i x = quad(q);
  return {dot8_half(acc.lo, codes.lo, x), dot8_half(acc.hi, codes.hi, x)};
}
#endif

inline uint32_t out_of_range(F32x16 a, float limit) noexcept {
  const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  const __m256 l = _mm256_set1_ps(limit);
  const int lo = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_and_ps(a.lo, magnitude), l, _CMP_LT_OQ));
  const int hi = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_and_ps(a.hi, magnitude), l, _CMP_LT_OQ));
  return 0xffffU & ~static_cast<uint32_t>(lo | hi << 8);
}
// f64 -> i64 in two halves, each exact by the magic number 1.5 * 2^52: d = high * 2^32 + low,
// |high| < 2^24, |low| <= 2^31. high * 2^32 is even, so ties go where they would in one conversion.
inline void add_fixed4(int64_t* sums, __m128 a) noexcept {
  const __m256d magic = _mm256_set1_pd(0x1.8p52);
  const __m256d d = _mm256_mul_pd(_mm256_cvtps_pd(a), _mm256_set1_pd(0x1p36));
  const __m256d high_bits = _mm256_add_pd(_mm256_mul_pd(d, _mm256_set1_pd(0x1p-32)), magic);
  const __m256d high = _mm256_sub_pd(high_bits, magic);
  const __m256d low = _mm256_sub_pd(d, _mm256_mul_pd(high, _mm256_set1_pd(0x1p32)));
  const __m256d low_bits = _mm256_add_pd(low, magic);
  const __m256i magic_bits = _mm256_castpd_si256(magic);
  const __m256i h =
      _mm256_slli_epi64(_mm256_sub_epi64(_mm256_castpd_si256(high_bits), magic_bits), 32);
  const __m256i l = _mm256_sub_epi64(_mm256_castpd_si256(low_bits), magic_bits);
  auto* p = reinterpret_cast<__m256i*>(sums);
  _mm256_storeu_si256(p, _mm256_add_epi64(_mm256_loadu_si256(p), _mm256_add_epi64(h, l)));
}
inline void add_fixed(int64_t* sums, F32x16 a) noexcept {
  add_fixed4(sums, _mm256_castps256_ps128(a.lo));
  add_fixed4(sums + 4, _mm256_extractf128_ps(a.lo, 1));
  add_fixed4(sums + 8, _mm256_castps256_ps128(a.hi));
  add_fixed4(sums + 12, _mm256_extractf128_ps(a.hi, 1));
}
// i64 -> f64 with one rounding: the high half above 2^84 and the low half above 2^52 are bits,
// their difference from the magic numbers is exact, and so is all but the last sum.
inline __m128 from_fixed4(const int64_t* sums) noexcept {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(sums));
  const __m256i high =
      _mm256_xor_si256(_mm256_srli_epi64(x, 32), _mm256_set1_epi64x(0x4530000080000000));
  const __m256i low = _mm256_blend_epi32(x, _mm256_set1_epi64x(0x4330000000000000), 0xaa);
  const __m256d top = _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(0x1.00000801p84));
  const __m256d d = _mm256_add_pd(top, _mm256_castsi256_pd(low));
  return _mm256_cvtpd_ps(_mm256_mul_pd(d, _mm256_set1_pd(0x1p-36)));
}
inline void add_parts(int64_t* sums, I32x16 high, I32x16 low) noexcept {
  const __m128i h[] = {_mm256_castsi256_si128(high.lo), _mm256_extracti128_si256(high.lo, 1),
                       _mm256_castsi256_si128(high.hi), _mm256_extracti128_si256(high.hi, 1)};
  const __m128i l[] = {_mm256_castsi256_si128(low.lo), _mm256_extracti128_si256(low.lo, 1),
                       _mm256_castsi256_si128(low.hi), _mm256_extracti128_si256(low.hi, 1)};
  for (int i = 0; i < 4; ++i) {
    auto* p = reinterpret_cast<__m256i*>(sums + 4 * i);
    const __m256i steps = _mm256_add_epi64(_mm256_slli_epi64(_mm256_cvtepi32_epi64(h[i]), 23),
                                           _mm256_cvtepi32_epi64(l[i]));
    _mm256_storeu_si256(p, _mm256_add_epi64(_mm256_loadu_si256(p), steps));
  }
}
inline F32x16 from_fixed(const int64_t* sums) noexcept {
  return {_mm256_set_m128(from_fixed4(sums + 4), from_fixed4(sums)),
          _mm256_set_m128(from_fixed4(sums + 12), from_fixed4(sums + 8))};
}
[[gnu::always_inline]] inline void prefetch(const void* p) noexcept {
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T0);
}
[[gnu::always_inline]] inline void prefetch_to_l2(const void* p) noexcept {
  _mm_prefetch(static_cast<const char*>(p), _MM_HINT_T1);
}

}  // namespace colonnade::kernels::CN_ISA
