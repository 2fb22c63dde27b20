#include "colonnade/base/math.h"

#include <array>
#include <limits>

#include "colonnade/base/erf_table.h"

namespace colonnade::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// high + low, not rounded together.
struct Double2 {
  double high;
  double low;
};

/// a + b exactly. Source: Knuth, TAOCP 2, section 4.2.2, theorem B.
Double2 two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// high + low of the quotient of two sums, to about 100 bits.
Double2 divide(Double2 numerator, Double2 denominator) {
  const double q = numerator.high / denominator.high;
  const double remainder =
      std::fma(-q, denominator.high, numerator.high) + (numerator.low - q * denominator.low);
  return {q, remainder / denominator.high};
}

double power_of_two(int exponent) {  // -1022..1023
  return __builtin_bit_cast(double, static_cast<uint64_t>(exponent + 1023) << 52);
}

/// log(2^k * (1 + f)) for 1 + f in [sqrt(1/2), sqrt(2)], f = f.high + f.low:
/// log(1 + f) = 2 artanh(s) with s = f / (2 + f); the series' first term left out is below 2^-58 of
/// the sum.
double log_of(double k, Double2 f) {
  const double denominator = 2.0 + f.high;
  const Double2 s = divide(f, {denominator, (f.high - (denominator - 2.0)) + f.low});
  const double s2 = s.high * s.high;
  double p = 2.0 / 21.0;
  for (const double coefficient : {2.0 / 19.0, 2.0 / 17.0, 2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0,
                                   2.0 / 9.0, 2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0}) {
    p = std::fma(p, s2, coefficient);
  }
  const double low = std::fma(s.high * s2, p, 2.0 * s.low);
  const Double2 sum = two_sum(k * detail::kLn2High, 2.0 * s.high);
  return sum.high + (sum.low + std::fma(k, detail::kLn2Low, low));
}

struct Split {
  double k;         // exponent
  double mantissa;  // [sqrt(1/2), sqrt(2)]
};

/// x = 2^k * mantissa, x positive and finite.
Split split(double x) {
  const double bias = x < 0x1p-1022 ? -54.0 : 0.0;  // denormals: scale into the normal range first
  const uint64_t bits = __builtin_bit_cast(uint64_t, bias == 0.0 ? x : x * 0x1p54);
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcdu;
  const uint64_t offset = bits - kRootHalf;
  const auto k = static_cast<int64_t>(offset) >> 52;
  return {static_cast<double>(k) + bias,
          __builtin_bit_cast(double, bits - (static_cast<uint64_t>(k) << 52))};
}

/// e^y - 1 for 0 <= y <= 64.
Double2 expm1_nonnegative(double y) {
  const detail::ExpReduction reduced = detail::reduce_exp(y);
  const double high = std::fma(-reduced.k, detail::kLn2High, y);
  const double r = reduced.r;
  const double r_low = std::fma(-reduced.k, detail::kLn2Low, high - r);
  double p = 1.0 / 87178291200.0;
  for (const double coefficient :
       {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
        1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5}) {
    p = std::fma(p, r, coefficient);
  }
  const Double2 small = two_sum(r, std::fma(r * r, p, std::fma(r, r_low, r_low)));  // e^r - 1
  const double scale = power_of_two(static_cast<int>(reduced.k));
  const Double2 sum = two_sum(scale - 1.0, scale * small.high);
  return {sum.high, sum.low + scale * small.low};
}

/// erf(x) for 0 <= x < 47.5 / 8: the Taylor series of erf around the nearest multiple c of 1/8.
/// With g(t) = exp(-2ct - t^2), erf(c + h) = erf(c) + slope(c) * integral of g over [0, h], and g'
/// = -2 (c + t) g gives g's coefficients one by one.
double erf_nonnegative(double x) {
  constexpr int kTerms = 18;
  const int j = static_cast<int>(x * 8.0 + 0.5);
  const detail::ErfPoint& point = detail::kErfTable[j];
  const double c = j * 0.125;
  const double h = x - c;
  double previous = 1.0;       // a[n-1] h^(n-1)
  double term = -2.0 * c * h;  // a[n] h^n
  double rest = 0.5 * term;    // sum over n >= 1 of a[n] h^n / (n + 1)
  for (int n = 1; n < kTerms; ++n) {
    const double next = -2.0 * h * std::fma(c, term, h * previous) / (n + 1);
    previous = term;
    term = next;
    rest += next / (n + 2);
  }
  // Around 0 erf(c) adds nothing, and the slope needs its second half: 2/sqrt(pi) -
  // kErfTable[0].slope.
  const double low = j == 0 ? 0x1.1ae3a914fed8p-56 * h : point.low;
  return point.high + std::fma(point.slope, h, std::fma(point.slope, h * rest, low));
}

constexpr double kSmallAngle = 0x1p-27;  // sin(x) = x and cos(x) = 1 to within half an ulp

struct Quadrant {
  Double2 r;  // |r.high| <= 0.79
  int index;  // x = index * pi/2 + r, modulo 2 pi
};

/// n = x / (pi/2) has 30 bits: n * kP1 is subtracted exactly by one FMA, n * kP2 as an exact
/// product of two parts, and n * kP3 brings the error to 2^-130. Cody & Waite 1980, chapter 8, with
/// FMA.
Quadrant reduce_angle(double x) {
  constexpr double kP1 = 0x1.921fb54442d18p+0;
  constexpr double kP2 = 0x1.1a62633145c07p-54;
  constexpr double kP3 = -0x1.f1976b7ed8fbcp-110;
  constexpr double kShift = 0x1.8p52;
  const double n = std::fma(x, 0x1.45f306dc9c883p-1, kShift) - kShift;
  const double first = std::fma(-n, kP1, x);
  const double product = n * kP2;
  const double product_low = std::fma(n, kP3, std::fma(n, kP2, -product));
  const Double2 r = two_sum(first, -product);
  const Double2 rounded = two_sum(r.high, r.low - product_low);
  return {rounded, static_cast<int>(static_cast<int64_t>(n) & 3)};
}

/// Taylor series of sin around 0, first term left out below 2^-63.
double sin_of(Double2 r) {
  const double r2 = r.high * r.high;
  double p = 1.0 / 355687428096000.0;
  for (const double coefficient : {-1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
                                   1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0}) {
    p = std::fma(p, r2, coefficient);
  }
  const double low = std::fma(-0.5 * r2, r.low, r.low);  // r.low * cos(r)
  return r.high + std::fma(r.high * r2, p, low);
}

/// Taylor series of cos around 0, first term left out below 2^-58.
double cos_of(Double2 r) {
  const double r2 = r.high * r.high;
  double p = 1.0 / 20922789888000.0;
  for (const double coefficient : {-1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
                                   1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0}) {
    p = std::fma(p, r2, coefficient);
  }
  const double half = 0.5 * r2;
  const double half_low = std::fma(0.5 * r.high, r.high, -half);
  const double one = 1.0 - half;
  const double rest = ((1.0 - one) - half) - half_low;
  return one + std::fma(r2 * r2, p, std::fma(-r.high, r.low, rest));
}

double quadrant_value(Double2 r, int index) {
  const double value = (index & 1) == 0 ? sin_of(r) : cos_of(r);
  return (index & 2) == 0 ? value : -value;
}

}  // namespace

double exp(double x) {
  if (!(x <= 0x1.62e42fefa39efp9)) return x != x ? x : kInfinity;
  if (x < -746.0) return 0.0;
  const detail::ExpReduction reduced = detail::reduce_exp(x);
  const int k = static_cast<int>(reduced.k);
  const int half = k / 2;  // 2^k itself may be out of range where the result is not
  return detail::exp_series(reduced.r) * power_of_two(half) * power_of_two(k - half);
}

double log(double x) {
  if (x != x || x == kInfinity) return x;
  if (x <= 0.0) return x == 0.0 ? -kInfinity : kNaN;
  const Split parts = split(x);
  return log_of(parts.k, {parts.mantissa - 1.0, 0.0});
}

double log1p(double x) {
  if (x != x || x == kInfinity || std::fabs(x) < 0x1p-54) return x;
  if (x <= -1.0) return x == -1.0 ? -kInfinity : kNaN;
  if (x > -0.29 && x < 0.41) return log_of(0.0, {x, 0.0});
  const Double2 sum = two_sum(1.0, x);
  const Split parts = split(sum.high);
  // Beyond 2^60 the 1 is lost in the last place anyway.
  const double low = parts.k < 60.0 ? sum.low * power_of_two(-static_cast<int>(parts.k)) : 0.0;
  return log_of(parts.k, {parts.mantissa - 1.0, low});
}

double tanh(double x) {
  const double magnitude = std::fabs(x);
  if (!(magnitude >= 0x1p-28)) return x;  // NaN too
  if (magnitude >= 22.0) return std::copysign(1.0, x);
  const Double2 t = expm1_nonnegative(2.0 * magnitude);
  const Double2 denominator = two_sum(t.high, 2.0);
  const Double2 q = divide(t, {denominator.high, denominator.low + t.low});
  return std::copysign(q.high + q.low, x);
}

double erf(double x) {
  const double magnitude = std::fabs(x);
  if (x != x) return x;
  if (magnitude >= 5.9375) return std::copysign(1.0, x);
  return std::copysign(erf_nonnegative(magnitude), x);
}

double sin(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < kSmallAngle) return x;
  if (!(magnitude <= kLargestAngle)) return kNaN;
  const Quadrant quadrant = reduce_angle(x);
  return quadrant_value(quadrant.r, quadrant.index);
}

double cos(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < kSmallAngle) return 1.0;
  if (!(magnitude <= kLargestAngle)) return kNaN;
  const Quadrant quadrant = reduce_angle(x);
  return quadrant_value(quadrant.r, quadrant.index + 1);
}

}  // namespace colonnade::math
