// The 16-lane vector in plain C++: the specification of every other one. Included once per
// instruction set, inside its namespace.
#pragma once

#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

// Tiles of the many-row kernels (rows x panels): plain code gains nothing from bigger ones.
constexpr int kGroupedRows = 1, kGroupedPanels = 2, kDenseRows = 1, kDensePanels = 1;
constexpr int64_t kTokenTile =
    264;  // tokens that meet an expanded chunk: it and they fit a 512 KiB L2

struct F32x16 {
  float v[16];
};
struct I32x16 {
  int32_t v[16];
};
struct U8x64 {
  uint8_t v[64];
};

template <typename V, typename F>
inline V lanes(F f) noexcept {
  V r;
  for (int i = 0; i < 16; ++i) r.v[i] = f(i);
  return r;
}

inline F32x16 load(const float* p) noexcept {
  return lanes<F32x16>([=](int i) { return p[i]; });
}
inline void store(float* p, F32x16 a) noexcept {
  for (int i = 0; i < 16; ++i) p[i] = a.v[i];
}
inline F32x16 splat(float x) noexcept {
  return lanes<F32x16>([=](int) { return x; });
}
inline F32x16 add(F32x16 a, F32x16 b) noexcept {
  return lanes<F32x16>([&](int i) { return a.v[i] + b.v[i]; });
}
inline F32x16 sub(F32x16 a, F32x16 b) noexcept {
  return lanes<F32x16>([&](int i) { return a.v[i] - b.v[i]; });
}
inline F32x16 mul(F32x16 a, F32x16 b) noexcept {
  return lanes<F32x16>([&](int i) { return a.v[i] * b.v[i]; });
}
inline F32x16 div(F32x16 a, F32x16 b) noexcept {
  return lanes<F32x16>([&](int i) { return a.v[i] / b.v[i]; });
}
/// a * b + c, one rounding
inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) noexcept {
  return lanes<F32x16>([&](int i) { return __builtin_fmaf(a.v[i], b.v[i], c.v[i]); });
}
/// a > b ? a : b, in this operand order (so a NaN in a is dropped, one in b stays)
inline F32x16 max(F32x16 a, F32x16 b) noexcept {
  return lanes<F32x16>([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
/// a < b ? a : b
inline F32x16 min(F32x16 a, F32x16 b) noexcept {
  return lanes<F32x16>([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
/// a > b ? x : y
inline F32x16 select_gt(F32x16 a, F32x16 b, F32x16 x, F32x16 y) noexcept {
  return lanes<F32x16>([&](int i) { return a.v[i] > b.v[i] ? x.v[i] : y.v[i]; });
}
/// Lanes [begin, end) of a, `other` elsewhere.
inline F32x16 keep_lanes(F32x16 a, int64_t begin, int64_t end, float other) noexcept {
  return lanes<F32x16>([&](int i) { return i >= begin && i < end ? a.v[i] : other; });
}

inline I32x16 load(const int32_t* p) noexcept {
  return lanes<I32x16>([=](int i) { return p[i]; });
}
inline void store(int32_t* p, I32x16 a) noexcept {
  for (int i = 0; i < 16; ++i) p[i] = a.v[i];
}
inline I32x16 splat(int32_t x) noexcept {
  return lanes<I32x16>([=](int) { return x; });
}
inline I32x16 add(I32x16 a, I32x16 b) noexcept {
  return lanes<I32x16>([&](int i) {
    return static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) + static_cast<uint32_t>(b.v[i]));
  });
}
inline I32x16 sub(I32x16 a, I32x16 b) noexcept {
  return lanes<I32x16>([&](int i) {
    return static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) - static_cast<uint32_t>(b.v[i]));
  });
}
inline I32x16 mul(I32x16 a, I32x16 b) noexcept {
  return lanes<I32x16>([&](int i) {
    return static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) * static_cast<uint32_t>(b.v[i]));
  });
}
inline I32x16 max(I32x16 a, I32x16 b) noexcept {
  return lanes<I32x16>([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
}
inline I32x16 min(I32x16 a, I32x16 b) noexcept {
  return lanes<I32x16>([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
}
inline I32x16 band(I32x16 a, I32x16 b) noexcept {
  return lanes<I32x16>([&](int i) { return a.v[i] & b.v[i]; });
}
inline I32x16 bor(I32x16 a, I32x16 b, I32x16 c) noexcept {
  return lanes<I32x16>([&](int i) { return a.v[i] | b.v[i] | c.v[i]; });
}
/// Any lane has any bit of `mask`
inline bool any_bits(I32x16 a, int32_t mask) noexcept {
  int32_t all = 0;
  for (int i = 0; i < 16; ++i) all |= a.v[i];
  return (all & mask) != 0;
}
template <int N>
inline I32x16 shl(I32x16 a) noexcept {
  return lanes<I32x16>(
      [&](int i) { return static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) << N); });
}
template <int N>
inline I32x16 shr(I32x16 a) noexcept {
  return lanes<I32x16>(
      [&](int i) { return static_cast<int32_t>(static_cast<uint32_t>(a.v[i]) >> N); });
}
template <int N>
inline I32x16 sar(I32x16 a) noexcept {
  return lanes<I32x16>([&](int i) { return a.v[i] >> N; });
}
inline F32x16 to_f32(I32x16 a) noexcept {
  return lanes<F32x16>([&](int i) { return static_cast<float>(a.v[i]); });
}
/// Round half to even. The value must fit; what a NaN gives is unspecified.
inline I32x16 to_i32(F32x16 a) noexcept {
  return lanes<I32x16>(
      [&](int i) { return a.v[i] == a.v[i] ? static_cast<int32_t>(__builtin_rintf(a.v[i])) : 0; });
}
inline I32x16 bits(F32x16 a) noexcept { return __builtin_bit_cast(I32x16, a); }
inline F32x16 from_bits(I32x16 a) noexcept { return __builtin_bit_cast(F32x16, a); }

/// 16 bf16 as f32
inline F32x16 load_bf16(const uint16_t* p) noexcept {
  return lanes<F32x16>(
      [=](int i) { return __builtin_bit_cast(float, static_cast<uint32_t>(p[i]) << 16); });
}
inline float f16_to_f32(uint16_t h) noexcept {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000U) << 16;
  const uint32_t exponent = (h >> 10) & 31U, fraction = h & 1023U;
  if (exponent == 0) {  // zero or denormal: the fraction counts steps of 2^-24, exact in f32
    const float value = static_cast<float>(fraction) * 5.9604644775390625e-8F;
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(uint32_t, value));
  }
  const uint32_t bits32 =
      exponent == 31 ? 0x7f800000U | fraction << 13 : (exponent + 112) << 23 | fraction << 13;
  return __builtin_bit_cast(float, sign | bits32);
}
/// 16 f16 as f32
inline F32x16 load_f16(const uint16_t* p) noexcept {
  return lanes<F32x16>([=](int i) { return f16_to_f32(p[i]); });
}
/// The low 16 bits of each lane, an f16, as f32
inline F32x16 f16_low(I32x16 a) noexcept {
  return lanes<F32x16>([&](int i) { return f16_to_f32(static_cast<uint16_t>(a.v[i])); });
}
/// 16 f32 rounded to bf16, half to even, as integers (vcvtneps2bf16 would flush denormals); a NaN
/// stays a NaN
inline void store_bf16(uint16_t* p, F32x16 a) noexcept {
  for (int i = 0; i < 16; ++i) {
    const uint32_t x = __builtin_bit_cast(uint32_t, a.v[i]);
    const uint32_t rounded = (x + 0x7fffU + ((x >> 16) & 1U)) >> 16;
    p[i] = static_cast<uint16_t>(a.v[i] == a.v[i] ? rounded : (x >> 16) | 0x40U);
  }
}
/// 16 unsigned or signed bytes as i32
inline I32x16 load_u8(const uint8_t* p) noexcept {
  return lanes<I32x16>([=](int i) { return static_cast<int32_t>(p[i]); });
}
inline I32x16 load_s8(const uint8_t* p) noexcept {
  return lanes<I32x16>([=](int i) { return static_cast<int32_t>(static_cast<int8_t>(p[i])); });
}
/// 16 pairs of bytes, each lane's as two 16-bit words, the first the lower
inline I32x16 load_u8_pairs(const uint8_t* p) noexcept {
  return lanes<I32x16>([=](int i) { return p[2 * i] | p[2 * i + 1] << 16; });
}
inline I32x16 load_s8_pairs(const uint8_t* p) noexcept {
  return lanes<I32x16>([=](int i) {
    const auto low = static_cast<uint16_t>(static_cast<int8_t>(p[2 * i]));
    const auto high = static_cast<uint16_t>(static_cast<int8_t>(p[2 * i + 1]));
    return static_cast<int32_t>(low | static_cast<uint32_t>(high) << 16);
  });
}
/// Words: those of low lanes' lower halves, of high lanes' lower halves
inline I32x16 join_words(I32x16 low, I32x16 high) noexcept {
  return lanes<I32x16>([&](int i) {
    return static_cast<int32_t>((static_cast<uint32_t>(low.v[i]) & 0xffffU) |
                                static_cast<uint32_t>(high.v[i]) << 16);
  });
}
/// Signed words: low * low + high * high
inline I32x16 dot_words(I32x16 a, I32x16 b) noexcept {
  return lanes<I32x16>([&](int i) {
    const auto low = [](int32_t x) { return static_cast<int32_t>(static_cast<int16_t>(x)); };
    return low(a.v[i]) * low(b.v[i]) + (a.v[i] >> 16) * (b.v[i] >> 16);
  });
}
/// Low byte of each lane
inline void store_i8(int8_t* p, I32x16 a) noexcept {
  for (int i = 0; i < 16; ++i) p[i] = static_cast<int8_t>(a.v[i]);
}

/// Lanes at distance 8, 4, 2, 1 (docs/numerics.md)
inline float reduce_add(F32x16 a) noexcept {
  for (int step = 8; step > 0; step /= 2) {
    for (int i = 0; i < step; ++i) a.v[i] = a.v[i] + a.v[i + step];
  }
  return a.v[0];
}
inline float reduce_max(F32x16 a) noexcept {
  for (int step = 8; step > 0; step /= 2) {
    for (int i = 0; i < step; ++i) a.v[i] = a.v[i] > a.v[i + step] ? a.v[i] : a.v[i + step];
  }
  return a.v[0];
}
inline int32_t reduce_add(I32x16 a) noexcept {
  int32_t sum = 0;
  for (int i = 0; i < 16; ++i) sum += a.v[i];
  return sum;
}
inline int32_t reduce_max(I32x16 a) noexcept {
  int32_t most = a.v[0];
  for (int i = 1; i < 16; ++i) most = a.v[i] > most ? a.v[i] : most;
  return most;
}

inline U8x64 load_codes(const uint8_t* p) noexcept {
  U8x64 r;
  for (int i = 0; i < 64; ++i) r.v[i] = p[i];
  return r;
}
/// The same, into a register that later uses read, where there are enough of them
inline U8x64 load_codes_once(const uint8_t* p) noexcept { return load_codes(p); }
inline void store_codes(uint8_t* p, U8x64 a) noexcept {
  for (int i = 0; i < 64; ++i) p[i] = a.v[i];
}
inline U8x64 bor(U8x64 a, U8x64 b) noexcept {
  for (int i = 0; i < 64; ++i) a.v[i] |= b.v[i];
  return a;
}
/// entries[code], codes below 16
inline U8x64 lookup(const uint8_t* entries, U8x64 codes) noexcept {
  for (int i = 0; i < 64; ++i) codes.v[i] = entries[codes.v[i]];
  return codes;
}
/// (a >> N) & mask, or (a << -N) & mask for negative N, byte by byte
template <int N>
inline U8x64 shift_mask(U8x64 a, uint8_t mask) noexcept {
  for (int i = 0; i < 64; ++i) {
    a.v[i] = static_cast<uint8_t>((N >= 0 ? a.v[i] >> (N & 7) : a.v[i] << (-N & 7)) & mask);
  }
  return a;
}

/// base | shift_mask<N>(a, mask)
template <int N>
inline U8x64 merge_shifted(U8x64 base, U8x64 a, uint8_t mask) noexcept {
  return bor(base, shift_mask<N>(a, mask));
}

/// Byte kByte of each 16-bit word, a number of E4M3, as an f16 of a 2^8th of it
template <int kByte>
inline U8x64 e4m3_words(U8x64 a) noexcept {
  for (int i = 0; i < 64; i += 2) {
    const int top = a.v[i + kByte];
    const int word = ((top & 0x80) << 8 | top << 7) & kE4m3Mask;
    a.v[i] = static_cast<uint8_t>(word & 255);
    a.v[i + 1] = static_cast<uint8_t>(word >> 8);
  }
  return a;
}
/// Words [16 kHalf, 16 kHalf + 16), each an f16, as f32
template <int kHalf>
inline F32x16 f16_words(U8x64 a) noexcept {
  return lanes<F32x16>([&](int i) {
    const uint8_t* word = a.v + 32 * kHalf + 2 * i;
    return f16_to_f32(static_cast<uint16_t>(word[0] | word[1] << 8));
  });
}

/// acc[r] + sum over i of codes[4 r + i] * q[i]; codes up to 127
inline I32x16 dot7(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  for (int r = 0; r < 16; ++r) {
    for (int i = 0; i < 4; ++i) acc.v[r] += static_cast<int32_t>(codes.v[4 * r + i]) * q[i];
  }
  return acc;
}
/// The same for codes up to 255, each less 128 - kZero8
constexpr int kZero8 = 128;
constexpr bool kDotIsOneInstruction = false;
inline I32x16 dot8(I32x16 acc, U8x64 codes, const int8_t* q) noexcept {
  return dot7(acc, codes, q);
}

/// 1 bits where not |a| < limit (NaN included)
inline uint32_t out_of_range(F32x16 a, float limit) noexcept {
  uint32_t mask = 0;
  for (int i = 0; i < 16; ++i) {
    const float magnitude = a.v[i] < 0 ? -a.v[i] : a.v[i];
    mask |= (magnitude < limit ? 0U : 1U) << i;
  }
  return mask;
}
/// sums[i] += round-half-even(a[i] * 2^36); |a| < 2^20
inline void add_fixed(int64_t* sums, F32x16 a) noexcept {
  for (int i = 0; i < 16; ++i) {
    sums[i] += static_cast<int64_t>(__builtin_rint(static_cast<double>(a.v[i]) * 0x1p36));
  }
}
/// sums[i] += high[i] * 2^23 + low[i]
inline void add_parts(int64_t* sums, I32x16 high, I32x16 low) noexcept {
  for (int i = 0; i < 16; ++i) sums[i] += int64_t{high.v[i]} * (1 << 23) + low.v[i];
}
/// float(double(sum) * 2^-36)
inline F32x16 from_fixed(const int64_t* sums) noexcept {
  return lanes<F32x16>(
      [=](int i) { return static_cast<float>(static_cast<double>(sums[i]) * 0x1p-36); });
}
[[gnu::always_inline]] inline void prefetch(const void* p) noexcept { __builtin_prefetch(p); }
[[gnu::always_inline]] inline void prefetch_to_l2(const void* p) noexcept {
  __builtin_prefetch(p, 0, 2);
}

}  // namespace colonnade::kernels::CN_ISA
