#include "colonnade/base/turn_square.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

template <typename T>
class TurnSquare : public testing::Test {};
using Elements = testing::Types<uint8_t, uint16_t, uint32_t>;
TYPED_TEST_SUITE(TurnSquare, Elements);

/// Element (r, i) of a square; different everywhere.
template <typename T>
T element(int64_t r, int64_t i) {
  return static_cast<T>(1 + r * kSquareSide<T> + i);
}

/// A square whose rows begin at odd places: `stride` bytes from one to the next.
template <typename T>
std::vector<std::byte> square(int64_t stride) {
  std::vector<std::byte> bytes(static_cast<size_t>(1 + stride * kSquareSide<T>));
  for (int64_t r = 0; r < kSquareSide<T>; ++r) {
    for (int64_t i = 0; i < kSquareSide<T>; ++i) {
      const T value = element<T>(r, i);
      std::memcpy(bytes.data() + 1 + r * stride + i * static_cast<int64_t>(sizeof(T)), &value,
                  sizeof(T));
    }
  }
  return bytes;
}

template <typename T>
T at(const std::vector<std::byte>& bytes, int64_t begin) {
  T value;
  std::memcpy(&value, bytes.data() + begin, sizeof(T));
  return value;
}

TYPED_TEST(TurnSquare, RowsBecomeColumnsAndNothingElseIsWritten) {
  constexpr int64_t kFrom = 37, kTo = 41;
  constexpr auto kBytes = static_cast<int64_t>(sizeof(TypeParam));
  const std::vector<std::byte> from = square<TypeParam>(kFrom);
  std::vector<std::byte> to(1 + kTo * kSquareSide<TypeParam>, std::byte{0xee});
  turn_square<TypeParam>(from.data() + 1, kFrom, to.data() + 1, kTo);
  EXPECT_EQ(to[0], std::byte{0xee});
  for (int64_t i = 0; i < kSquareSide<TypeParam>; ++i) {
    for (int64_t r = 0; r < kSquareSide<TypeParam>; ++r) {
      EXPECT_EQ(at<TypeParam>(to, 1 + i * kTo + r * kBytes), element<TypeParam>(r, i))
          << r << " " << i;
    }
    for (int64_t b = 16; b < kTo; ++b) {
      EXPECT_EQ(at<std::byte>(to, 1 + i * kTo + b), std::byte{0xee}) << i << " " << b;
    }
  }
}

TYPED_TEST(TurnSquare, ColumnsInRegistersAreTheSame) {
  constexpr int64_t kStride = 19;
  const std::vector<std::byte> from = square<TypeParam>(kStride);
  typename turn_square_parts::VectorOf<TypeParam>::type columns[kSquareSide<TypeParam>];
  load_turned<TypeParam>(from.data() + 1, kStride, columns);
  for (int64_t i = 0; i < kSquareSide<TypeParam>; ++i) {
    for (int64_t r = 0; r < kSquareSide<TypeParam>; ++r) {
      EXPECT_EQ(columns[i][r], element<TypeParam>(r, i)) << r << " " << i;
    }
  }
}

}  // namespace
}  // namespace colonnade
