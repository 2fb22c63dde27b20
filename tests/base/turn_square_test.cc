#include "colonnade/base/turn_square.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

template <typename T>
class TurnSquareOf : public testing::Test {};
using Elements = testing::Types<uint8_t, uint16_t, uint32_t>;
TYPED_TEST_SUITE(TurnSquareOf, Elements);

/// Element (r, i) of a square; different everywhere.
template <typename T, int64_t kSide = kSquareSide<T>>
T element(int64_t r, int64_t i) {
  return static_cast<T>(1 + r * kSide + i);
}

/// A square whose rows begin at odd places: `stride` bytes from one to the next.
template <typename T, int64_t kSide = kSquareSide<T>>
std::vector<std::byte> square(int64_t stride) {
  std::vector<std::byte> bytes(static_cast<size_t>(1 + stride * kSide));
  for (int64_t r = 0; r < kSide; ++r) {
    for (int64_t i = 0; i < kSide; ++i) {
      const T value = element<T, kSide>(r, i);
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

TYPED_TEST(TurnSquareOf, RowsBecomeColumnsAndNothingElseIsWritten) {
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

TYPED_TEST(TurnSquareOf, ColumnsInRegistersAreTheSame) {
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

TEST(TurnSquare, SquaresOf8AreTurnedToo) {
  constexpr int64_t kFrom = 37, kTo = 41;
  const std::vector<std::byte> from = square<uint32_t, 8>(kFrom);
  std::vector<std::byte> to(1 + kTo * 8, std::byte{0xee});
  turn_square_of_8(from.data() + 1, kFrom, to.data() + 1, kTo);
  EXPECT_EQ(to[0], std::byte{0xee});
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t r = 0; r < 8; ++r) {
      const uint32_t expected = element<uint32_t, 8>(r, i);
      EXPECT_EQ(at<uint32_t>(to, 1 + i * kTo + r * 4), expected) << r << " " << i;
    }
    for (int64_t b = 32; b < kTo; ++b)
      EXPECT_EQ(at<std::byte>(to, 1 + i * kTo + b), std::byte{0xee});
  }
}

}  // namespace
}  // namespace colonnade
