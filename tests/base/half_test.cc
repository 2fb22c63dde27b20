#include "colonnade/base/half.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

/// The value of an f16 pattern by its definition, in f64. Finite patterns only.
double f16_value(uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int mantissa = half & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return half & 0x8000 ? -magnitude : magnitude;
}

TEST(Half, EveryF16PatternWidensToItsValueAndBack) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto half = static_cast<uint16_t>(i);
    const float wide = f16_to_f32(half);
    if ((half & 0x7c00) == 0x7c00) {
      const bool is_nan = (half & 0x3ff) != 0;
      EXPECT_EQ(std::isnan(wide), is_nan);
      EXPECT_EQ(std::isinf(wide), !is_nan);
      EXPECT_EQ(f32_to_f16(wide), is_nan ? (half | 0x200) : half);
    } else {
      ASSERT_EQ(static_cast<double>(wide), f16_value(half)) << i;
      ASSERT_EQ(std::signbit(wide), (half & 0x8000) != 0);
      ASSERT_EQ(f32_to_f16(wide), half);
    }
  }
}

TEST(Half, ValuesBetweenTwoF16RoundToTheNearestAndTiesToEven) {
  for (uint32_t i = 0; i < 0x7bff; ++i) {
    const auto low = static_cast<uint16_t>(i);
    const auto high = static_cast<uint16_t>(i + 1);
    const float middle = static_cast<float>((f16_value(low) + f16_value(high)) / 2);
    const float infinity = std::numeric_limits<float>::infinity();
    ASSERT_EQ(f32_to_f16(middle), (low & 1) == 0 ? low : high) << i;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, 0.0f)), low) << i;
    ASSERT_EQ(f32_to_f16(std::nextafter(middle, infinity)), high) << i;
    ASSERT_EQ(f32_to_f16(-middle), 0x8000 | ((low & 1) == 0 ? low : high)) << i;
  }
}

TEST(Half, TheEndsOfTheF16Range) {
  EXPECT_EQ(f32_to_f16(65504.0f), 0x7bff);
  EXPECT_EQ(f32_to_f16(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(1e30f), 0x7c00);
  EXPECT_EQ(f32_to_f16(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0);
  EXPECT_EQ(f32_to_f16(std::nextafter(0x1p-25f, 1.0f)), 1);
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(f32_to_f16(-0.0f), 0x8000);
}

TEST(Half, EveryBf16PatternWidensAndNarrowsToItself) {
  for (uint32_t i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const float wide = bf16_to_f32(bits);
    ASSERT_EQ(std::bit_cast<uint32_t>(wide), i << 16);
    ASSERT_EQ(f32_to_bf16(wide), std::isnan(wide) ? (bits | 0x40) : bits);
  }
}

TEST(Half, Bf16NarrowingRoundsHalfToEvenAndKeepsDenormals) {
  const auto narrow = [](uint32_t bits) { return f32_to_bf16(std::bit_cast<float>(bits)); };
  EXPECT_EQ(narrow(0x3f808000), 0x3f80);  // tie, even below
  EXPECT_EQ(narrow(0x3f818000), 0x3f82);  // tie, even above
  EXPECT_EQ(narrow(0x3f808001), 0x3f81);
  EXPECT_EQ(narrow(0x3f807fff), 0x3f80);
  EXPECT_EQ(narrow(0x7f7fffff), 0x7f80);  // the largest f32 becomes infinity
  EXPECT_EQ(narrow(0x00018000), 0x0002);  // denormal tie
  EXPECT_EQ(narrow(0x80008001), 0x8001);
  EXPECT_EQ(narrow(0x7f800001), 0x7fc0);  // a signalling NaN must not become infinity
}

TEST(Half, IsUsableAtCompileTime) {
  static_assert(f16_to_f32(0x3c00) == 1.0f && f32_to_f16(-2.0f) == 0xc000);
  static_assert(bf16_to_f32(0x3f80) == 1.0f && f32_to_bf16(-2.0f) == 0xc000);
}

}  // namespace
}  // namespace colonnade
