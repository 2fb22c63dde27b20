// Kernels over one row: norm, activation codes, gated units, rotation, look-up, maximum.
#pragma once

#include "colonnade/kernels/grouped.inl.h"
#include "colonnade/kernels/math.inl.h"

namespace colonnade::kernels::CN_ISA {

/// Up to 16 values, zero behind them.
inline F32x16 load_part(const float* p, int64_t count) noexcept {
  if (count >= kLanes) return load(p);
  alignas(64) float v[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) v[i] = p[i];
  return load(v);
}
inline void store_part(float* p, F32x16 a, int64_t count) noexcept {
  if (count >= kLanes) {
    store(p, a);
    return;
  }
  alignas(64) float v[kLanes];
  store(v, a);
  for (int64_t i = 0; i < count; ++i) p[i] = v[i];
}

inline float scalar_sqrt(float x) noexcept { return __builtin_sqrtf(x); }

/// Sum of squares by the tree of docs/numerics.md: two accumulators, because one would wait on its
/// own FMA.
inline float sum_squares(const float* x, int64_t cols) noexcept {
  F32x16 s0 = splat(0.0F), s1 = splat(0.0F);
  int64_t i = 0;
  for (; i + 2 * kLanes <= cols; i += 2 * kLanes) {
    const F32x16 a = load(x + i), b = load(x + i + kLanes);
    s0 = fma(a, a, s0);
    s1 = fma(b, b, s1);
  }
  if (i < cols) {
    const F32x16 a = load_part(x + i, cols - i);
    s0 = fma(a, a, s0);
  }
  if (i + kLanes < cols) {
    const F32x16 b = load_part(x + i + kLanes, cols - i - kLanes);
    s1 = fma(b, b, s1);
  }
  return reduce_add(add(s0, s1));
}

inline void rms_norm(float* y, const float* x, const float* weight, int64_t cols,
                     float eps) noexcept {
  const float mean = sum_squares(x, cols) / static_cast<float>(cols);
  const F32x16 inverse = splat(1.0F / scalar_sqrt(mean + eps));
  for (int64_t i = 0; i < cols; i += kLanes) {
    F32x16 v = mul(load_part(x + i, cols - i), inverse);
    if (weight != nullptr) v = mul(v, load_part(weight + i, cols - i));
    store_part(y + i, v, cols - i);
  }
}

/// Sum by the tree of docs/numerics.md of x - mean, or of its squares.
template <bool kSquares>
inline float sum_around(const float* x, int64_t cols, float mean) noexcept {
  F32x16 sums[2] = {splat(0.0F), splat(0.0F)};
  for (int64_t i = 0; i < cols; i += kLanes) {
    F32x16 v = sub(load_part(x + i, cols - i), splat(mean));
    if (cols - i < kLanes) v = keep_lanes(v, 0, cols - i, 0.0F);
    F32x16& sum = sums[i / kLanes % 2];
    sum = kSquares ? fma(v, v, sum) : add(sum, v);
  }
  return reduce_add(add(sums[0], sums[1]));
}

inline void layer_norm(float* y, const float* x, const float* weight, const float* bias,
                       int64_t cols, float eps) noexcept {
  const auto count = static_cast<float>(cols);
  const float mean = sum_around<false>(x, cols, 0.0F) / count;
  const float variance = sum_around<true>(x, cols, mean) / count;
  const F32x16 inverse = splat(1.0F / scalar_sqrt(variance + eps));
  for (int64_t i = 0; i < cols; i += kLanes) {
    F32x16 v = mul(sub(load_part(x + i, cols - i), splat(mean)), inverse);
    if (weight != nullptr) v = mul(v, load_part(weight + i, cols - i));
    if (bias != nullptr) v = add(v, load_part(bias + i, cols - i));
    store_part(y + i, v, cols - i);
  }
}

/// h = f(gate) * up, or f(gate) without `up`.
template <typename F>
inline void activate_with(const F& f, float* h, const float* gate, const float* up,
                          int64_t count) noexcept {
  for (int64_t i = 0; i < count; i += kLanes) {
    F32x16 v = f(load_part(gate + i, count - i));
    if (up != nullptr) v = mul(v, load_part(up + i, count - i));
    store_part(h + i, v, count - i);
  }
}

inline void activate_clamped(float* h, const float* gate, const float* up, int64_t count) noexcept {
  for (int64_t i = 0; i < count; i += kLanes) {
    F32x16 v = clamped_silu(load_part(gate + i, count - i));
    if (up != nullptr) {
      const F32x16 u = load_part(up + i, count - i);
      // This operand order keeps a NaN.
      v = mul(v, add(max(splat(-7.0F), min(splat(7.0F), u)), splat(1.0F)));
    }
    store_part(h + i, v, count - i);
  }
}

inline void activate(ActivationKind kind, float* h, const float* gate, const float* up,
                     int64_t count) noexcept {
  switch (kind) {
    case ActivationKind::silu:
      return activate_with([](F32x16 x) noexcept { return silu(x); }, h, gate, up, count);
    case ActivationKind::gelu_tanh:
      return activate_with([](F32x16 x) noexcept { return gelu_tanh(x); }, h, gate, up, count);
    case ActivationKind::gelu_erf:
      return activate_with([](F32x16 x) noexcept { return gelu_erf(x); }, h, gate, up, count);
    case ActivationKind::relu:
      return activate_with([](F32x16 x) noexcept { return relu(x); }, h, gate, up, count);
    case ActivationKind::clamped_silu:
      return activate_clamped(h, gate, up, count);
  }
}

inline void soft_cap_row(float* x, int64_t count, float cap) noexcept {
  for (int64_t i = 0; i < count; i += kLanes)
    store_part(x + i, soft_cap(load_part(x + i, count - i), splat(cap)), count - i);
}

/// y += x, or y = y * factor + x
inline void scale_add(float* y, const float* x, float factor, int64_t count) noexcept {
  for (int64_t i = 0; i < count; i += kLanes) {
    F32x16 v = load_part(y + i, count - i);
    if (factor != 1.0F) v = mul(v, splat(factor));
    if (x != nullptr) v = add(v, load_part(x + i, count - i));
    store_part(y + i, v, count - i);
  }
}

constexpr int32_t kTiny = 27 << 23;       // bits of 2^-100: below it all codes are 0
constexpr int32_t kInfinite = 255 << 23;  // bits of infinity: at or above it there are no codes

struct CodeScale {
  float scale;    // s_a
  float inverse;  // L / amax
};
/// `amax`: bits of the largest magnitude.
inline CodeScale code_scale(int32_t amax, float limit) noexcept {
  if (amax < kTiny) return {0.0F, 0.0F};
  const float most = __builtin_bit_cast(float, amax);
  return {most / limit, limit / most};
}

/// 16 codes of a block from 16 values; returns their sum.
inline int32_t write_codes(F32x16 x, CodeScale s, int8_t* hi, int8_t* lo) noexcept {
  const int32_t limit = lo != nullptr ? 16256 : 127;
  I32x16 q = to_i32(mul(x, splat(s.inverse)));
  q = min(max(q, splat(-limit)), splat(limit));
  if (lo == nullptr) {
    store_i8(hi, q);
  } else {
    const I32x16 high = sar<7>(add(q, splat(64)));
    store_i8(hi, high);
    store_i8(lo, sub(q, shl<7>(high)));
  }
  return reduce_add(q);
}

inline void write_block(const CodesView& c, int64_t block, int64_t token, F32x16 x0, F32x16 x1,
                        CodeScale s) noexcept {
  const int64_t at = block * c.tokens + token;
  int8_t* hi = c.hi + kBlock * at;
  int8_t* lo = c.lo != nullptr ? c.lo + kBlock * at : nullptr;
  const int32_t sum0 = write_codes(x0, s, hi, lo);
  const int32_t sum1 = write_codes(x1, s, hi + kLanes, lo != nullptr ? lo + kLanes : nullptr);
  c.scale[at] = s.scale;
  c.scaled_sum[at] = s.scale * static_cast<float>(sum0 + sum1);
  int32_t* sums = c.half_sums + 2 * block * c.tokens + token;
  sums[0] = sum0;
  sums[c.tokens] = sum1;
}

inline int32_t block_amax(F32x16 x0, F32x16 x1) noexcept {
  const I32x16 magnitude = splat(0x7fffffff);
  return reduce_max(max(band(bits(x0), magnitude), band(bits(x1), magnitude)));
}

/// Activation groups may hold several runs (a weight group ends inside): their scale is the
/// group's.
inline int32_t group_amax(const float* x, const KPlanView& plan, int64_t block) noexcept {
  const int32_t group = plan.runs[block].group;
  int64_t first = block, last = block;
  while (first > 0 && plan.runs[first - 1].group == group) --first;
  while (last + 1 < plan.blocks && plan.runs[last + 1].group == group) ++last;
  int32_t amax = 0;
  for (int64_t b = first; b <= last; ++b) {
    const Run run = plan.runs[b];
    for (int32_t i = 0; i < run.length; ++i) {
      const int32_t magnitude = __builtin_bit_cast(int32_t, x[run.k_begin + i]) & 0x7fffffff;
      amax = magnitude > amax ? magnitude : amax;
    }
  }
  return amax;
}

inline int32_t quantize(const float* x, const KPlanView& plan, CodesView codes, int64_t token,
                        Span blocks) noexcept {
  const float limit = codes.lo != nullptr ? 16256.0F : 127.0F;
  for (int64_t b = blocks.begin; b < blocks.end; ++b) {
    F32x16 x0, x1;
    int32_t amax;
    if (plan.uniform != 0) {
      x0 = load(x + kBlock * b);
      x1 = load(x + kBlock * b + kLanes);
      amax = block_amax(x0, x1);
    } else {
      const Run run = plan.runs[b];
      x0 = load_part(x + run.k_begin, run.length);
      x1 = load_part(x + run.k_begin + kLanes, run.length - kLanes);
      amax = group_amax(x, plan, b);
    }
    if (amax >= kInfinite) return 1;
    write_block(codes, b, token, x0, x1, code_scale(amax, limit));
  }
  return 0;
}

inline void rope(float* x, const float* cosines, const float* sines, int32_t rotary,
                 RopeLayout layout) noexcept {
  const int32_t half = rotary / 2;
  if (layout == RopeLayout::half) {
    for (int32_t i = 0; i < half; i += kLanes) {
      const int64_t left = half - i;
      const F32x16 c = load_part(cosines + i, left), s = load_part(sines + i, left);
      const F32x16 a = load_part(x + i, left), b = load_part(x + half + i, left);
      const F32x16 minus_b = sub(splat(0.0F), b);
      store_part(x + i, fma(minus_b, s, mul(a, c)), left);
      store_part(x + half + i, fma(a, s, mul(b, c)), left);
    }
    return;
  }
  for (int32_t i = 0; i < half; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    x[2 * i] = __builtin_fmaf(0.0F - b, sines[i], a * cosines[i]);
    x[2 * i + 1] = __builtin_fmaf(a, sines[i], b * cosines[i]);
  }
}

/// Adds 16 sums of one more rank, wrapping around.
inline void add_sums(int64_t* total, const int64_t* more) noexcept {
  for (int j = 0; j < kLanes; ++j)
    total[j] =
        static_cast<int64_t>(static_cast<uint64_t>(total[j]) + static_cast<uint64_t>(more[j]));
}

inline void finish_sums(float* y, const int64_t* const* sums, int64_t ranks, const float* bias,
                        const float* residual, int64_t count) noexcept {
  for (int64_t i = 0; i < count; i += kLanes) {
    const int64_t left = count - i;
    alignas(64) int64_t total[kLanes] = {};
    if (left >= kLanes) {
      __builtin_memcpy(total, sums[0] + i, sizeof total);
      for (int64_t r = 1; r < ranks; ++r) add_sums(total, sums[r] + i);
    } else {
      for (int64_t r = 0; r < ranks; ++r) {
        alignas(64) int64_t part[kLanes] = {};
        for (int64_t j = 0; j < left; ++j) part[j] = sums[r][i + j];
        add_sums(total, part);
      }
    }
    F32x16 value = from_fixed(total);
    if (bias != nullptr) value = add(value, load_part(bias + i, left));
    if (residual != nullptr) value = add(value, load_part(residual + i, left));
    store_part(y + i, value, left);
  }
}

}  // namespace colonnade::kernels::CN_ISA
