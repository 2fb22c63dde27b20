// exp and the activations made from it, on 16 lanes. Polynomials of FMA, no libm: the same bits
// everywhere.
#pragma once

#include "colonnade/kernels/vec.inl.h"
#include "colonnade/kernels/views.h"

namespace colonnade::kernels::CN_ISA {

/// e^x: 0 below -87, e^88 above 88, exactly 1 at 0, NaN for NaN. x = n ln 2 + r, |r| <= ln 2 / 2;
/// Taylor's series of e^r to r^7 (its remainder, r^8 / 8!, is below 2^-27). ln 2 in two parts so
/// that n * high is exact.
inline F32x16 exp(F32x16 x) noexcept {
  const F32x16 clamped = max(splat(-87.5F), min(splat(88.0F), x));  // operand order keeps a NaN
  const I32x16 n = to_i32(mul(clamped, splat(1.44269504F)));
  const F32x16 nf = to_f32(n);
  F32x16 r = fma(nf, splat(-0.693359375F), clamped);
  r = fma(nf, splat(2.12194440e-4F), r);
  F32x16 p = splat(1.0F / 5040.0F);
  p = fma(p, r, splat(1.0F / 720.0F));
  p = fma(p, r, splat(1.0F / 120.0F));
  p = fma(p, r, splat(1.0F / 24.0F));
  p = fma(p, r, splat(1.0F / 6.0F));
  p = fma(p, r, splat(0.5F));
  p = fma(p, r, splat(1.0F));
  p = fma(p, r, splat(1.0F));
  const F32x16 power = from_bits(shl<23>(add(n, splat(127))));
  return select_gt(splat(-87.0F), x, splat(0.0F), mul(p, power));
}

/// x / (1 + e^-x)
inline F32x16 silu(F32x16 x) noexcept { return div(x, add(splat(1.0F), exp(sub(splat(0.0F), x)))); }

/// x * (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2, as x / (1 + e^(-2 u)).
/// Source: Hendrycks & Gimpel 2016, "Gaussian Error Linear Units", section 2.
inline F32x16 gelu_tanh(F32x16 x) noexcept {
  const F32x16 cube = fma(mul(x, x), mul(x, splat(0.044715F)), x);
  return div(x, add(splat(1.0F), exp(mul(cube, splat(-1.59576912F)))));
}

/// x * (1 + erf(x / sqrt 2)) / 2. erf(z) = 1 - p(t) e^(-z^2) for z >= 0, t = 1 / (1 + 0.3275911 z):
/// within 1.5e-7. Source: Abramowitz & Stegun, "Handbook of Mathematical Functions", 7.1.26.
inline F32x16 gelu_erf(F32x16 x) noexcept {
  const F32x16 zero = splat(0.0F), one = splat(1.0F);
  const F32x16 z = mul(max(sub(zero, x), x), splat(0.707106781F));
  const F32x16 t = div(one, fma(z, splat(0.3275911F), one));
  F32x16 p = splat(1.061405429F);
  p = fma(p, t, splat(-1.453152027F));
  p = fma(p, t, splat(1.421413741F));
  p = fma(p, t, splat(-0.284496736F));
  p = fma(p, t, splat(0.254829592F));
  const F32x16 tail = mul(mul(p, t), exp(sub(zero, mul(z, z))));  // 1 - erf(z)
  const F32x16 twice = select_gt(zero, x, tail, sub(splat(2.0F), tail));
  return mul(mul(x, splat(0.5F)), twice);
}

inline F32x16 relu(F32x16 x) noexcept { return select_gt(splat(0.0F), x, splat(0.0F), x); }

/// min(x, 7) / (1 + e^(-1.702 min(x, 7))). Source: the released weights of gpt-oss and their
/// configuration.
inline F32x16 clamped_silu(F32x16 x) noexcept {
  const F32x16 g = select_gt(x, splat(7.0F), splat(7.0F), x);
  return div(g, add(splat(1.0F), exp(mul(g, splat(-1.702F)))));
}

/// cap * tanh(x / cap): tanh(u) = (e^2u - 1) / (e^2u + 1), within 2^-22 of it.
inline F32x16 soft_cap(F32x16 x, F32x16 cap) noexcept {
  const F32x16 e = exp(mul(div(x, cap), splat(2.0F)));
  return mul(cap, div(sub(e, splat(1.0F)), add(e, splat(1.0F))));
}

}  // namespace colonnade::kernels::CN_ISA
