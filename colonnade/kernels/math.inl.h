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

}  // namespace colonnade::kernels::CN_ISA
