#include "colonnade/base/math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr uint64_t kSeed = 20260101;

using Function = std::function<double(double)>;
using Reference = std::function<long double(long double)>;

/// Distance from the reference in units in the last place of the result. x87's 64-bit mantissa
/// leaves 11 bits to judge by.
double error_ulps(double value, long double reference) {
  if (value == static_cast<double>(reference)) return 0.0;
  const double magnitude = std::max(std::fabs(value), std::numeric_limits<double>::min());
  const long double ulp = std::ldexp(1.0L, std::ilogb(magnitude) - 52);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - reference) / ulp);
}

/// The largest error over an even grid and as many random points between `low` and `high`.
double largest_error(const Function& f, const Reference& reference, double low, double high) {
  constexpr int kPoints = 200000;
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> uniform(low, high);
  double worst = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double even = low + (high - low) * (i / static_cast<double>(kPoints));
    for (const double x : {even, uniform(random)}) {
      worst = std::max(worst, error_ulps(f(x), reference(x)));
    }
  }
  return worst;
}

/// The same over positive numbers of every size: random exponents in [low, high).
double largest_error_over_exponents(const Function& f, const Reference& reference, int low,
                                    int high) {
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> mantissa(1.0, 2.0);
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const int exponent = low + static_cast<int>(random() % static_cast<uint64_t>(high - low));
    const double x = std::ldexp(mantissa(random), exponent);
    worst = std::max(worst, error_ulps(f(x), reference(x)));
  }
  return worst;
}

long double exp_reference(long double x) { return std::exp(x); }
long double log_reference(long double x) { return std::log(x); }
long double log1p_reference(long double x) { return std::log1p(x); }
long double tanh_reference(long double x) { return std::tanh(x); }
long double erf_reference(long double x) { return std::erf(x); }
long double sin_reference(long double x) { return std::sin(x); }
long double cos_reference(long double x) { return std::cos(x); }

TEST(Math, ExpIsGoodToOneUlp) {
  EXPECT_LT(largest_error(math::exp, exp_reference, -708.0, 709.7), 1.0);
  EXPECT_LT(largest_error(math::exp, exp_reference, -1.0, 1.0), 1.0);
  EXPECT_LT(largest_error(math::exp, exp_reference, -745.0, -708.0),
            1.01);  // denormal: two roundings
  EXPECT_LT(largest_error_over_exponents(math::exp, exp_reference, -60, 9), 1.0);
}

TEST(Math, ExpOfSpecialValues) {
  EXPECT_EQ(math::exp(0.0), 1.0);
  EXPECT_EQ(math::exp(-0.0), 1.0);
  EXPECT_EQ(math::exp(kInfinity), kInfinity);
  EXPECT_EQ(math::exp(-kInfinity), 0.0);
  EXPECT_TRUE(std::isnan(math::exp(kNaN)));
  EXPECT_EQ(math::exp(709.79), kInfinity);
  EXPECT_LT(math::exp(709.78), kInfinity);
  EXPECT_EQ(math::exp(std::log(std::numeric_limits<double>::max())),
            std::exp(std::log(std::numeric_limits<double>::max())));
  EXPECT_EQ(math::exp(-745.2), 0.0);
  EXPECT_EQ(math::exp(-746.0), 0.0);
  EXPECT_EQ(math::exp(-1e300), 0.0);
  EXPECT_GT(math::exp(-745.0), 0.0);
  EXPECT_EQ(math::exp(5e-324), 1.0);
}

TEST(Math, ExpNonpositiveHasTheBitsOfExp) {
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> uniform(-708.0, 0.0);
  for (int i = 0; i < 200000; ++i) {
    const double x = uniform(random);
    ASSERT_EQ(std::bit_cast<uint64_t>(math::exp_nonpositive(x)),
              std::bit_cast<uint64_t>(math::exp(x)));
  }
  EXPECT_EQ(math::exp_nonpositive(0.0), 1.0);
  EXPECT_EQ(math::exp_nonpositive(-708.1), 0.0);
  EXPECT_EQ(math::exp_nonpositive(-kInfinity), 0.0);
}

TEST(Math, LogIsGoodToOneUlp) {
  EXPECT_LT(largest_error(math::log, log_reference, 0.3, 3.0), 1.0);
  EXPECT_LT(largest_error(math::log, log_reference, 0.999, 1.001), 1.0);
  EXPECT_LT(largest_error_over_exponents(math::log, log_reference, -1074, 1024), 1.0);
}

TEST(Math, LogOfSpecialValues) {
  EXPECT_EQ(math::log(1.0), 0.0);
  EXPECT_FALSE(std::signbit(math::log(1.0)));
  EXPECT_EQ(math::log(0.0), -kInfinity);
  EXPECT_EQ(math::log(-0.0), -kInfinity);
  EXPECT_TRUE(std::isnan(math::log(-1.0)));
  EXPECT_TRUE(std::isnan(math::log(-kInfinity)));
  EXPECT_TRUE(std::isnan(math::log(kNaN)));
  EXPECT_EQ(math::log(kInfinity), kInfinity);
  EXPECT_LT(error_ulps(math::log(5e-324), log_reference(static_cast<long double>(5e-324))), 1.0);
}

TEST(Math, Log1pIsGoodToOneUlp) {
  EXPECT_LT(largest_error(math::log1p, log1p_reference, -0.9999, 3.0), 1.0);
  EXPECT_LT(largest_error(math::log1p, log1p_reference, -1e-3, 1e-3), 1.0);
  EXPECT_LT(largest_error_over_exponents(math::log1p, log1p_reference, -1022, 1024), 1.0);
  const auto negative = [](double x) { return math::log1p(-x); };
  const auto negative_reference = [](long double x) { return std::log1p(-x); };
  EXPECT_LT(largest_error_over_exponents(negative, negative_reference, -1022, -1), 1.0);
}

TEST(Math, Log1pOfSpecialValues) {
  EXPECT_TRUE(std::signbit(math::log1p(-0.0)));
  EXPECT_EQ(math::log1p(0.0), 0.0);
  EXPECT_EQ(math::log1p(5e-324), 5e-324);
  EXPECT_EQ(math::log1p(-1.0), -kInfinity);
  EXPECT_TRUE(std::isnan(math::log1p(-1.1)));
  EXPECT_TRUE(std::isnan(math::log1p(kNaN)));
  EXPECT_EQ(math::log1p(kInfinity), kInfinity);
  EXPECT_LT(error_ulps(math::log1p(-1.0 + 0x1p-33), log1p_reference(-1.0L + 0x1p-33L)), 1.0);
}

TEST(Math, TanhIsGoodToOneUlp) {
  EXPECT_LT(largest_error(math::tanh, tanh_reference, -23.0, 23.0), 1.0);
  EXPECT_LT(largest_error(math::tanh, tanh_reference, -1.0, 1.0), 1.0);
  EXPECT_LT(largest_error_over_exponents(math::tanh, tanh_reference, -1022, 5), 1.0);
}

TEST(Math, TanhOfSpecialValues) {
  EXPECT_TRUE(std::signbit(math::tanh(-0.0)));
  EXPECT_EQ(math::tanh(kInfinity), 1.0);
  EXPECT_EQ(math::tanh(-kInfinity), -1.0);
  EXPECT_TRUE(std::isnan(math::tanh(kNaN)));
  EXPECT_EQ(math::tanh(-5e-324), -5e-324);
  EXPECT_EQ(math::tanh(-0.75), -math::tanh(0.75));
}

TEST(Math, ErfIsGoodToOneUlp) {
  EXPECT_LT(largest_error(math::erf, erf_reference, -6.1, 6.1), 1.0);
  EXPECT_LT(largest_error(math::erf, erf_reference, -0.5, 0.5), 1.0);
  EXPECT_LT(largest_error_over_exponents(math::erf, erf_reference, -1020, 3), 1.0);
}

TEST(Math, ErfOfSpecialValues) {
  EXPECT_TRUE(std::signbit(math::erf(-0.0)));
  EXPECT_EQ(math::erf(kInfinity), 1.0);
  EXPECT_EQ(math::erf(-kInfinity), -1.0);
  EXPECT_TRUE(std::isnan(math::erf(kNaN)));
  EXPECT_EQ(math::erf(-0.75), -math::erf(0.75));
  EXPECT_NE(math::erf(5e-324), 0.0);
}

TEST(Math, SineAndCosineAreGoodToOneUlpUpToTheLargestAngle) {
  for (const double limit : {1.0, 10.0, 1000.0, 1e6, math::kLargestAngle}) {
    EXPECT_LT(largest_error(math::sin, sin_reference, -limit, limit), 1.0) << limit;
    EXPECT_LT(largest_error(math::cos, cos_reference, -limit, limit), 1.0) << limit;
  }
  EXPECT_LT(largest_error_over_exponents(math::sin, sin_reference, -1022, 29), 1.0);
  EXPECT_LT(largest_error_over_exponents(math::cos, cos_reference, -1022, 29), 1.0);
}

TEST(Math, SineNearMultiplesOfPiKeepsItsRelativeAccuracy) {
  // The f64 nearest to n pi: the sine is what rounding n pi left, which a short pi would lose.
  // Source: pi = 3.14159265358979323846264338327950288419716939937510 58209749445923078164.
  EXPECT_EQ(math::sin(0x1.921fb54442d18p+1), 0x1.1a62633145c07p-53);
  EXPECT_EQ(math::cos(0x1.921fb54442d18p+0), 0x1.1a62633145c07p-54);
}

TEST(Math, SineAndCosineOfSpecialValues) {
  EXPECT_TRUE(std::signbit(math::sin(-0.0)));
  EXPECT_EQ(math::cos(0.0), 1.0);
  EXPECT_EQ(math::sin(5e-324), 5e-324);
  for (const double x : {kInfinity, -kInfinity, kNaN, 1.1e9, -1e300}) {
    EXPECT_TRUE(std::isnan(math::sin(x))) << x;
    EXPECT_TRUE(std::isnan(math::cos(x))) << x;
  }
}

}  // namespace
}  // namespace colonnade
