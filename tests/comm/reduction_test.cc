#include "colonnade/comm/reduction.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "colonnade/base/half.h"

namespace colonnade {
namespace {

template <typename T>
std::vector<T> reduced(const std::vector<std::vector<T>>& parts, DType dtype, Reduction reduction) {
  std::vector<const std::byte*> inputs;
  for (const auto& part : parts) inputs.push_back(reinterpret_cast<const std::byte*>(part.data()));
  std::vector<T> out(parts[0].size());
  reduce(reinterpret_cast<std::byte*>(out.data()), inputs, static_cast<int64_t>(out.size()), dtype,
         reduction);
  return out;
}

/// Of any length the same as one element at a time.
template <typename T>
void expect_no_length_matters(const std::vector<T>& some, DType dtype) {
  for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::min}) {
    for (const size_t length : {1u, 7u, 255u, 256u, 300u, 1000u}) {
      std::vector<std::vector<T>> parts(3, std::vector<T>(length));
      for (size_t r = 0; r < 3; ++r) {
        for (size_t i = 0; i < length; ++i) parts[r][i] = some[(i * (r + 3) + r) % some.size()];
      }
      const std::vector<T> whole = reduced(parts, dtype, reduction);
      for (size_t i = 0; i < length; ++i) {
        const std::vector<std::vector<T>> one = {{parts[0][i]}, {parts[1][i]}, {parts[2][i]}};
        const T alone = reduced(one, dtype, reduction)[0];
        ASSERT_EQ(std::memcmp(&whole[i], &alone, sizeof(T)), 0) << name_of(dtype) << " " << i;
      }
    }
  }
}

TEST(Reduction, IntegersOfAllWidthsWrapAroundAndKnowTheirSign) {
  const auto check = [](auto low, auto high, DType dtype) {
    using T = decltype(low);
    const std::vector<std::vector<T>> parts = {{high, low, 3}, {1, low, 4}};
    EXPECT_EQ(reduced(parts, dtype, Reduction::sum),
              (std::vector<T>{low, static_cast<T>(2 * static_cast<uint64_t>(low)), 7}))
        << name_of(dtype);
    EXPECT_EQ(reduced(parts, dtype, Reduction::max), (std::vector<T>{high, low, 4}));
    EXPECT_EQ(reduced(parts, dtype, Reduction::min), (std::vector<T>{1, low, 3}));
    expect_no_length_matters<T>({low, high, 0, 1, 2, static_cast<T>(high / 2)}, dtype);
  };
  check(std::numeric_limits<int8_t>::min(), std::numeric_limits<int8_t>::max(), DType::i8);
  check(std::numeric_limits<uint8_t>::min(), std::numeric_limits<uint8_t>::max(), DType::u8);
  check(std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max(), DType::i16);
  check(std::numeric_limits<uint16_t>::min(), std::numeric_limits<uint16_t>::max(), DType::u16);
  check(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), DType::i32);
  check(std::numeric_limits<uint32_t>::min(), std::numeric_limits<uint32_t>::max(), DType::u32);
  check(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), DType::i64);
  check(std::numeric_limits<uint64_t>::min(), std::numeric_limits<uint64_t>::max(), DType::u64);
}

TEST(Reduction, SumsOfBooleansAreOr) {
  const std::vector<std::vector<uint8_t>> parts = {{0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 0, 1}};
  EXPECT_EQ(reduced(parts, DType::boolean, Reduction::sum), (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(reduced(parts, DType::boolean, Reduction::max), (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(reduced(parts, DType::boolean, Reduction::min), (std::vector<uint8_t>{0, 0, 0, 1}));
}

TEST(Reduction, FloatSumsGoFromLeftToRight) {
  const std::vector<std::vector<float>> parts = {{1e8F}, {-1e8F}, {1.0F}};
  EXPECT_EQ(reduced(parts, DType::f32, Reduction::sum)[0], 1.0F);
  const std::vector<std::vector<float>> other = {{1.0F}, {1e8F}, {-1e8F}};
  EXPECT_EQ(reduced(other, DType::f32, Reduction::sum)[0], 0.0F);
  EXPECT_EQ(reduced<double>({{1e300}, {-1e300}, {1.0}}, DType::f64, Reduction::sum)[0], 1.0);
  expect_no_length_matters<float>({1e8F, -1e8F, 1.0F, 0.1F, -0.0F, 3e38F, 1e-40F}, DType::f32);
  expect_no_length_matters<double>({1e80, -1e80, 1.0, 0.1, -0.0, 1e308}, DType::f64);
}

TEST(Reduction, SixteenBitFloatsAreRoundedOnce) {
  // 1 + 2^-8 + 2^-8: rounded after each addition it would stay 1, half to even.
  const uint16_t one = f32_to_bf16(1.0F), small = f32_to_bf16(0x1p-8F);
  EXPECT_EQ(
      bf16_to_f32(reduced<uint16_t>({{one}, {small}, {small}}, DType::bf16, Reduction::sum)[0]),
      1.0F + 0x1p-7F);
  const uint16_t one_h = f32_to_f16(1.0F), small_h = f32_to_f16(0x1p-11F);
  EXPECT_EQ(
      f16_to_f32(reduced<uint16_t>({{one_h}, {small_h}, {small_h}}, DType::f16, Reduction::sum)[0]),
      1.0F + 0x1p-10F);
  std::vector<uint16_t> bf16, f16;
  for (const float value : {1.0F, -2.5F, 0.001F, 300.0F, -0.0F}) {
    bf16.push_back(f32_to_bf16(value));
    f16.push_back(f32_to_f16(value));
  }
  expect_no_length_matters(bf16, DType::bf16);
  expect_no_length_matters(f16, DType::f16);
}

TEST(Reduction, OfWhatIsNoNumberTheFirstWinsAndOfZerosThatOfTheLowestRank) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  for (const Reduction reduction : {Reduction::max, Reduction::min}) {
    EXPECT_TRUE(std::isnan(reduced<float>({{1.0F}, {kNone}, {2.0F}}, DType::f32, reduction)[0]));
    EXPECT_TRUE(std::isnan(reduced<float>({{kNone}, {1.0F}, {2.0F}}, DType::f32, reduction)[0]));
    const float first = __builtin_bit_cast(float, 0x7fc00001), later = -kNone;
    EXPECT_EQ(__builtin_bit_cast(
                  uint32_t, reduced<float>({{1.0F}, {first}, {later}}, DType::f32, reduction)[0]),
              0x7fc00001u);
    EXPECT_TRUE(std::signbit(reduced<float>({{-0.0F}, {0.0F}}, DType::f32, reduction)[0]));
    EXPECT_FALSE(std::signbit(reduced<float>({{0.0F}, {-0.0F}}, DType::f32, reduction)[0]));
  }
}

TEST(Reduction, TheResultMayStandOverAPart) {
  for (const size_t length : {3u, 100u, 1000u}) {
    std::vector<std::vector<uint16_t>> parts(3, std::vector<uint16_t>(length));
    for (size_t r = 0; r < 3; ++r) {
      for (size_t i = 0; i < length; ++i) {
        parts[r][i] = f32_to_bf16(static_cast<float>(i * (r + 1)) * 0.37F);
      }
    }
    const auto apart = reduced(parts, DType::bf16, Reduction::sum);
    const std::byte* inputs[3];
    for (size_t r = 0; r < 3; ++r) inputs[r] = reinterpret_cast<std::byte*>(parts[r].data());
    reduce(reinterpret_cast<std::byte*>(parts[1].data()), inputs, static_cast<int64_t>(length),
           DType::bf16, Reduction::sum);
    EXPECT_EQ(parts[1], apart);
  }
}

TEST(Reduction, PartsMayStandAtAnyAddress) {
  std::vector<std::byte> memory(3 * 801);
  std::byte* a = memory.data() + 1;
  std::byte* b = a + 800;
  for (int i = 0; i < 200; ++i) {
    const float x = static_cast<float>(i), y = 0.5F;
    std::memcpy(a + 4 * i, &x, 4);
    std::memcpy(b + 4 * i, &y, 4);
  }
  std::byte* out = b + 800;
  const std::byte* parts[] = {a, b};
  reduce(out, parts, 200, DType::f32, Reduction::sum);
  for (int i = 0; i < 200; ++i) {
    float sum = 0;
    std::memcpy(&sum, out + 4 * i, 4);
    ASSERT_EQ(sum, static_cast<float>(i) + 0.5F);
  }
}

}  // namespace
}  // namespace colonnade
