// Transcendental functions in f64 of our own: libm's change their last bit with the CPU and the
// library's version, ours are IEEE additions, multiplications, divisions and FMAs in a fixed order.
// Errors stay below 1 ulp (tests measure them). Special values are those of C's functions of the
// same name unless a comment says otherwise.
#pragma once

#include <cmath>
#include <cstdint>

namespace colonnade::math {

/// e^x. exp(0) is exactly 1.
double exp(double x);
/// Natural logarithm of x.
double log(double x);
/// log(1 + x), accurate near 0.
double log1p(double x);
double tanh(double x);
double erf(double x);

/// Largest |x| of sin and cos.
constexpr double kLargestAngle = 1e9;
/// Sine and cosine of x radians, |x| <= kLargestAngle; NaN beyond it.
double sin(double x);
double cos(double x);

namespace detail {

/// x = k ln 2 + r: `scale` is 2^k as bits without the exponent's bias, r lies in [-0.35, 0.35].
struct ExpReduction {
  double r;
  double k;
  uint64_t shifted;  // k in the low 12 bits
};

constexpr double kLn2High = 0x1.62e42fefa38p-1;   // 11 trailing zero bits: k * kLn2High is exact
constexpr double kLn2Low = 0x1.ef35793c7673p-45;  // ln 2 - kLn2High

[[gnu::always_inline]] inline ExpReduction reduce_exp(double x) {
  constexpr double kShift =
      0x1.8p52;  // adding it rounds to an integer, which then stands in the low mantissa bits
  const double shifted = std::fma(x, 0x1.71547652b82fep0, kShift);
  const double k = shifted - kShift;
  const double high = std::fma(-k, kLn2High, x);
  return {std::fma(-k, kLn2Low, high), k, __builtin_bit_cast(uint64_t, shifted)};
}

/// e^r for |r| <= 0.35 by its Taylor series: the first term left out is below 2^-57.
[[gnu::always_inline]] inline double exp_series(double r) {
  double p = 1.0 / 6227020800.0;
  p = std::fma(p, r, 1.0 / 479001600.0);
  p = std::fma(p, r, 1.0 / 39916800.0);
  p = std::fma(p, r, 1.0 / 3628800.0);
  p = std::fma(p, r, 1.0 / 362880.0);
  p = std::fma(p, r, 1.0 / 40320.0);
  p = std::fma(p, r, 1.0 / 5040.0);
  p = std::fma(p, r, 1.0 / 720.0);
  p = std::fma(p, r, 1.0 / 120.0);
  p = std::fma(p, r, 1.0 / 24.0);
  p = std::fma(p, r, 1.0 / 6.0);
  p = std::fma(p, r, 0.5);
  p = std::fma(p, r, 1.0);
  return std::fma(p, r, 1.0);
}

}  // namespace detail

/// exp(x) for x <= 0, and 0 below -708. Without branches and inline, so that loops over it become
/// vector code; where it is not 0 it equals exp(x) bit for bit.
[[gnu::always_inline]] inline double exp_nonpositive(double x) {
  const uint64_t mask = x >= -708.0 ? ~uint64_t{0} : 0;
  const detail::ExpReduction reduced = detail::reduce_exp(x);
  const double scale = __builtin_bit_cast(double, (reduced.shifted << 52) + 0x3ff0000000000000u);
  const double y = detail::exp_series(reduced.r) * scale;
  return __builtin_bit_cast(double, __builtin_bit_cast(uint64_t, y) & mask);
}

}  // namespace colonnade::math
