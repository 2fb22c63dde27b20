#include "colonnade/tensor/grouped_rows.h"

#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "colonnade/base/half.h"

namespace colonnade {
namespace {

std::vector<float> numbers(const GroupedRows& rows, int64_t row) {
  std::vector<float> out(static_cast<size_t>(rows.cols));
  dequantize_row(rows, row, out);
  return out;
}

/// Scales as an f16 file has them.
std::vector<uint8_t> halves(std::initializer_list<float> values) {
  std::vector<uint8_t> bytes;
  for (const float value : values) {
    const uint16_t half = f32_to_f16(value);
    bytes.push_back(static_cast<uint8_t>(half & 255));
    bytes.push_back(static_cast<uint8_t>(half >> 8));
  }
  return bytes;
}

TEST(GroupedRows, ASliceHasTheScalesOfTheGroupsItTouches) {
  GroupedRows rows;
  rows.reshape(WeightFormat::q4_1, 3, 80,
               48);  // columns 80 .. 127: half of group 2, all of group 3
  EXPECT_EQ(rows.groups(), 2);
  EXPECT_EQ(rows.supers(), 0);
  EXPECT_EQ(rows.codes.size(), 3U * 48);
  EXPECT_EQ(rows.scales.size(), 3U * 2 * 2);
  EXPECT_EQ(rows.offsets.size(), 3U * 2 * 2);
  EXPECT_TRUE(rows.sub_scales.empty());
  EXPECT_EQ(rows.group_of(15), 0);
  EXPECT_EQ(rows.group_of(16), 1);
}

TEST(GroupedRows, ASliceMayBeginAndEndInsideASuperBlock) {
  GroupedRows rows;
  rows.reshape(WeightFormat::q6_k, 2, 224,
               320);  // 224 .. 543: super-blocks 0, 1, 2; groups 14 .. 33
  EXPECT_EQ(rows.groups(), 20);
  EXPECT_EQ(rows.supers(), 3);
  EXPECT_EQ(rows.scales.size(), 2U * 3 * 2);
  EXPECT_EQ(rows.sub_scales.size(), 2U * 20);
  EXPECT_TRUE(rows.offsets.empty());
  EXPECT_TRUE(rows.sub_offsets.empty());
  EXPECT_EQ(rows.super_of(31), 0);
  EXPECT_EQ(rows.super_of(32), 1);
  EXPECT_EQ(rows.super_of(288), 2);
}

TEST(GroupedRows, AnEmptySliceHasNothing) {
  GroupedRows rows;
  rows.reshape(WeightFormat::q4_k, 4, 256, 0);
  EXPECT_EQ(rows.groups(), 0);
  EXPECT_EQ(rows.supers(), 0);
  EXPECT_TRUE(rows.codes.empty());
}

TEST(GroupedRows, ReshapingToTheSameSizeKeepsTheMemory) {
  GroupedRows rows;
  rows.reshape(WeightFormat::q5_k, 8, 0, 512);
  const uint8_t* codes = rows.codes.data();
  rows.reshape(WeightFormat::q5_k, 4, 512, 512);
  rows.reshape(WeightFormat::q5_k, 8, 0, 512);
  EXPECT_EQ(rows.codes.data(), codes);
}

TEST(DequantizeRow, OneLevelIsScaleTimesCodePlusOffset) {
  GroupedRows rows;
  rows.reshape(WeightFormat::q4_1, 1, 30, 4);
  rows.codes = {0, 15, 3, 4};
  rows.scales = halves({0.5f, -2.0f});
  rows.offsets = halves({10.0f, 1.0f});
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{10.0f, 17.5f, -5.0f, -7.0f}));
}

TEST(DequantizeRow, TheZeroCodeMeansZero) {
  const struct {
    WeightFormat format;
    uint8_t zero;
  } cases[] = {{WeightFormat::q4_0, 8}, {WeightFormat::q5_0, 16}, {WeightFormat::q8_0, 128}};
  for (const auto& [format, zero] : cases) {
    GroupedRows rows;
    rows.reshape(format, 2, 0, 2);
    rows.codes = {0, 0, zero, static_cast<uint8_t>(zero - 3)};
    rows.scales = halves({1.0f, 0.25f});
    EXPECT_EQ(numbers(rows, 1), (std::vector<float>{0.0f, -0.75f})) << name_of(format);
  }
}

TEST(DequantizeRow, TwoLevelsMultiplyAndTheSubOffsetIsSubtracted) {
  GroupedRows rows;
  rows.reshape(WeightFormat::q4_k, 1, 255, 2);  // the last column of super-block 0, the first of 1
  rows.codes = {7, 2};
  rows.scales = halves({0.5f, 4.0f});
  rows.offsets = halves({1.0f, 0.25f});
  rows.sub_scales = {3, 63};
  rows.sub_offsets = {2, 60};
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{8.5f, 489.0f}));
  rows.reshape(WeightFormat::q6_k, 1, 0, 1);
  rows.codes = {63};
  rows.scales = halves({2.0f});
  rows.sub_scales = {-128};
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{-7936.0f}));
}

TEST(DequantizeRow, SubOffsetsBelongToGroupsOf16) {
  GroupedRows rows;
  rows.reshape(WeightFormat::q2_k, 1, 14, 4);  // the last two columns of group 0, the first of 1
  rows.codes = {3, 0, 1, 2};
  rows.scales = halves({0.5f});
  rows.offsets = halves({2.0f});
  rows.sub_scales = {15, 1};
  rows.sub_offsets = {7, 3};
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{8.5f, -14.0f, -5.5f, -5.0f}));
}

TEST(DequantizeRow, TablesStandForCodes) {
  GroupedRows rows;
  rows.reshape(WeightFormat::iq4_nl, 1, 0, 3);
  rows.codes = {0, 8, 15};
  rows.scales = halves({-2.0f});
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{254.0f, -2.0f, -226.0f}));
  rows.reshape(WeightFormat::iq4_xs, 1, 0, 2);
  rows.codes = {1, 7};
  rows.scales = halves({0.5f});
  rows.sub_scales = {-32};
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{1664.0f, 160.0f}));
}

TEST(DequantizeRow, TheTableOfE2m1IsDoubledAndItsScaleHalved) {
  GroupedRows rows;
  rows.reshape(WeightFormat::mxfp4, 4, 0, 2);
  rows.codes = {1, 15, 1, 15, 1, 15, 7, 9};
  rows.scales = {127, 1, 0, 255};
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{0.5f, -6.0f}));
  EXPECT_EQ(numbers(rows, 1), (std::vector<float>{0x1p-127f, -12 * 0x1p-127f}));
  EXPECT_EQ(numbers(rows, 2), (std::vector<float>{0x1p-128f, -12 * 0x1p-128f}));
  EXPECT_EQ(numbers(rows, 3)[1], -0x1p127f);
}

TEST(DequantizeRow, E4m3ScalesOfGroupsOf16AreNumbersOfTheirOwn) {
  GroupedRows rows;
  rows.reshape(WeightFormat::nvfp4, 1, 15, 3);  // the last column of group 0, two of group 1
  ASSERT_EQ(rows.groups(), 2);
  rows.codes = {7, 1, 10};
  rows.scales = {0x7e, 0x01};  // 448, 2^-9
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{2688.0f, 0x1p-10f, -0x1p-9f}));
}

TEST(DequantizeRow, CodesOfMxfp8AreNumbers) {
  GroupedRows rows;
  rows.reshape(WeightFormat::mxfp8, 3, 0, 4);
  rows.codes = {0x01, 0x38, 0xfe, 0x80, 0x07, 0x08, 0xb8, 0x7e, 0x01, 0x7e, 0x00, 0x81};
  rows.scales = {127, 120, 0};
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{0x1p-9f, 1.0f, -448.0f, 0.0f}));
  EXPECT_TRUE(std::signbit(numbers(rows, 0)[3]));
  EXPECT_EQ(numbers(rows, 1), (std::vector<float>{0x1.cp-14f, 0x1p-13f, -0x1p-7f, 3.5f}));
  EXPECT_EQ(numbers(rows, 2), (std::vector<float>{0x1p-136f, 0x1.cp-119f, 0.0f, -0x1p-136f}));
}

TEST(DequantizeRow, AffineScalesHaveTheirOwnTypeAndGroup) {
  const uint16_t two = f32_to_bf16(2.0f), three = f32_to_bf16(-3.0f);
  GroupedRows rows;
  rows.reshape(*affine_format({.bits = 3, .group = 64, .scales = ScaleType::bf16}), 1, 63, 2);
  ASSERT_EQ(rows.groups(), 2);
  ASSERT_EQ(rows.scales.size(), 4U);
  rows.codes = {7, 5};
  std::memcpy(rows.scales.data(), &two, 2);
  std::memcpy(rows.scales.data() + 2, &three, 2);
  std::memcpy(rows.offsets.data(), &three, 2);
  std::memcpy(rows.offsets.data() + 2, &two, 2);
  EXPECT_EQ(numbers(rows, 0), (std::vector<float>{11.0f, -13.0f}));
  rows.reshape(*affine_format({.bits = 8, .group = 32, .scales = ScaleType::f32}), 1, 0, 1);
  rows.codes = {255};
  const float scale = 0x1.000002p0f, offset = 1.0f;
  std::memcpy(rows.scales.data(), &scale, 4);
  std::memcpy(rows.offsets.data(), &offset, 4);
  EXPECT_EQ(numbers(rows, 0)[0], std::fma(scale, 255.0f, offset));
}

}  // namespace
}  // namespace colonnade
