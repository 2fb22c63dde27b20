#include "colonnade/io/ggml_blocks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/random.h"
#include <gtest/gtest.h>

#include "colonnade/io/gguf.h"

namespace colonnade {
namespace {

constexpr GgmlType kGrouped[] = {
    GgmlType::q4_0,   GgmlType::q4_1,  GgmlType::q5_0,   GgmlType::q5_1, GgmlType::q8_0,
    GgmlType::iq4_nl, GgmlType::mxfp4, GgmlType::q2_k,   GgmlType::q3_k, GgmlType::q4_k,
    GgmlType::q5_k,   GgmlType::q6_k,  GgmlType::iq4_xs, GgmlType::q8_k};

std::vector<std::byte> read_all(const GgufFile& file, const GgufTensor& tensor) {
  std::vector<std::byte> bytes(static_cast<size_t>(tensor.size_bytes));
  file.read(tensor, 0, bytes);
  return bytes;
}

TEST(GgmlBlocks, MeanTheNumbersOfTheReferencePackage) {
  const GgufFile golden(std::string(COLONNADE_TEST_DATA) + "/ggml_blocks.gguf");
  for (const GgmlType type : kGrouped) {
    const GgufTensor* blocks = golden.find(std::string(name_of(type)) + ".blocks");
    const GgufTensor* values = golden.find(std::string(name_of(type)) + ".values");
    ASSERT_TRUE(blocks != nullptr && values != nullptr) << name_of(type);
    ASSERT_EQ(blocks->type, type);
    GroupedRows rows;
    rows.reshape(weight_format(type), blocks->rows(), 0, blocks->cols());
    decode_rows(type, read_all(golden, *blocks).data(), {0, rows.rows}, rows);
    std::vector<float> expected(static_cast<size_t>(values->elements()));
    golden.read(*values, 0, std::as_writable_bytes(std::span(expected)));
    std::vector<float> actual(expected.size());
    for (int64_t row = 0; row < rows.rows; ++row) {
      dequantize_row(rows, row,
                     std::span(actual).subspan(static_cast<size_t>(row * rows.cols),
                                               static_cast<size_t>(rows.cols)));
    }
    // + 0: the reference multiplies a zero code by a negative scale and gets -0, which fma(scale,
    // 0, +0) does not.
    for (float& value : expected) value += 0.0f;
    for (float& value : actual) value += 0.0f;
    EXPECT_TRUE(test::same_bits(actual, expected)) << name_of(type);
  }
}

std::vector<std::byte> random_bytes(uint64_t seed, int64_t count) {
  test::Random random(seed);
  std::vector<std::byte> bytes(static_cast<size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits() >> 56);
  return bytes;
}

/// The same rows with only the blocks that hold `cols`.
std::vector<std::byte> cut_blocks(GgmlType type, const std::vector<std::byte>& raw, int64_t rows,
                                  Range cols) {
  const Range blocks = blocks_of(type, cols);
  const int64_t size = info_of(type).block_bytes;
  const int64_t row_bytes = static_cast<int64_t>(raw.size()) / rows;
  std::vector<std::byte> cut;
  for (int64_t row = 0; row < rows; ++row) {
    const auto begin = raw.begin() + row * row_bytes;
    cut.insert(cut.end(), begin + blocks.begin * size, begin + blocks.end * size);
  }
  return cut;
}

/// Everything that column `col` of `slice` depends on is what the whole row has at slice.begin +
/// col.
bool same_column(const GroupedRows& slice, const GroupedRows& whole, int64_t row, int64_t col) {
  const int64_t at = slice.begin + col;
  const bool one_level = grouped_format(slice.format).super == 0;
  const int64_t group = row * slice.groups() + slice.group_of(col);
  const int64_t whole_group = row * whole.groups() + whole.group_of(at);
  const int64_t outer = one_level ? group : row * slice.supers() + slice.super_of(col);
  const int64_t whole_outer = one_level ? whole_group : row * whole.supers() + whole.super_of(at);
  const auto same = [](const auto& a, int64_t i, const auto& b, int64_t j, int64_t width = 1) {
    return a.empty() == b.empty() &&
           (a.empty() ||
            std::equal(a.begin() + i * width, a.begin() + (i + 1) * width, b.begin() + j * width));
  };
  const int64_t width = scale_bytes(grouped_format(slice.format).scales);
  return same(slice.codes, row * slice.cols + col, whole.codes, row * whole.cols + at) &&
         same(slice.scales, outer, whole.scales, whole_outer, width) &&
         same(slice.offsets, outer, whole.offsets, whole_outer, width) &&
         same(slice.sub_scales, group, whole.sub_scales, whole_group) &&
         same(slice.sub_offsets, group, whole.sub_offsets, whole_group);
}

TEST(GgmlBlocks, ASliceOfColumnsIsThatPartOfTheWholeRow) {
  constexpr int64_t kRows = 3;
  constexpr int64_t kCols = 1024;
  constexpr Range kSlices[] = {{0, 1024},  {32, 64},   {80, 160},  {240, 272},
                               {256, 512}, {96, 1024}, {512, 528}, {5, 6}};
  for (const GgmlType type : kGrouped) {
    const GgmlTypeInfo& info = info_of(type);
    const auto raw = random_bytes(7, kRows * kCols / info.block_elements * info.block_bytes);
    GroupedRows whole;
    whole.reshape(weight_format(type), kRows, 0, kCols);
    decode_rows(type, raw.data(), {0, kRows}, whole);
    for (const Range cols : kSlices) {
      GroupedRows slice;
      slice.reshape(weight_format(type), kRows, cols.begin, cols.size());
      decode_rows(type, cut_blocks(type, raw, kRows, cols).data(), {0, kRows}, slice);
      for (int64_t i = 0; i < kRows * cols.size(); ++i) {
        ASSERT_TRUE(same_column(slice, whole, i / cols.size(), i % cols.size()))
            << name_of(type) << " columns " << cols.begin << " to " << cols.end << ", element "
            << i;
      }
    }
  }
}

/// Code `col` of a row, by the definition of CodeOrder.
int raw_code(const RawCodes& raw, int64_t row, int64_t col) {
  const uint8_t* codes =
      raw.data + row * raw.row_bytes + col / raw.block_codes * raw.block_bytes + raw.codes_at;
  const int64_t i = col % raw.block_codes;
  if (raw.order == CodeOrder::flipped) return codes[i] ^ 0x80;
  const int64_t half = raw.order == CodeOrder::halves_32 ? 16 : 32;
  const uint8_t byte = codes[i / (2 * half) * half + i % half];
  return i % (2 * half) < half ? byte & 15 : byte >> 4;
}

TEST(GgmlBlocks, CodesLeftAsTheyAreAreThoseOfTheRowTakenApart) {
  constexpr int64_t kRows = 3;
  constexpr int64_t kCols = 1024;
  int types = 0;
  for (const GgmlType type : kGrouped) {
    const GgmlTypeInfo& info = info_of(type);
    const auto raw = random_bytes(8, kRows * kCols / info.block_elements * info.block_bytes);
    types += has_raw_codes(type, {0, kCols}) ? 1 : 0;
    for (const Range cols : {Range{0, 1024}, Range{256, 768}, Range{512, 544}, Range{80, 160}}) {
      if (!has_raw_codes(type, cols)) continue;
      const std::vector<std::byte> blocks = cut_blocks(type, raw, kRows, cols);
      GroupedRows apart, left;
      apart.reshape(weight_format(type), kRows, cols.begin, cols.size());
      decode_rows(type, blocks.data(), {0, kRows}, apart);
      left.reshape(weight_format(type), kRows, cols.begin, cols.size());
      const auto* bytes = reinterpret_cast<const uint8_t*>(blocks.data());
      left.raw_bytes.assign(bytes, bytes + blocks.size());
      decode_around_codes(type, left);
      EXPECT_EQ(left.scales, apart.scales) << name_of(type);
      EXPECT_EQ(left.offsets, apart.offsets) << name_of(type);
      EXPECT_EQ(left.sub_scales, apart.sub_scales) << name_of(type);
      EXPECT_EQ(left.sub_offsets, apart.sub_offsets) << name_of(type);
      for (int64_t i = 0; i < kRows * cols.size(); ++i) {
        ASSERT_EQ(raw_code(left.raw, i / cols.size(), i % cols.size()),
                  apart.codes[static_cast<size_t>(i)])
            << name_of(type) << " from column " << cols.begin << ", element " << i;
      }
    }
  }
  EXPECT_EQ(types, 8);
}

TEST(GgmlBlocks, CodesOfColumnsThatCutTheFirstBlockAreTakenApart) {
  EXPECT_FALSE(has_raw_codes(GgmlType::q4_0, {16, 64}));
  EXPECT_FALSE(has_raw_codes(GgmlType::q4_k, {64, 320}));
  EXPECT_TRUE(has_raw_codes(GgmlType::q4_k, {256, 320}));
  EXPECT_FALSE(has_raw_codes(GgmlType::q6_k, {0, 256}));
}

TEST(GgmlBlocks, RowsAreDecodedIntoTheirPlaceAndNowhereElse) {
  GroupedRows rows;
  rows.reshape(WeightFormat::q8_0, 3, 0, 32);
  std::ranges::fill(rows.codes, 1);
  std::ranges::fill(rows.scales, 1);
  std::vector<std::byte> raw(34, std::byte{0});
  decode_rows(GgmlType::q8_0, raw.data(), {1, 2}, rows);
  EXPECT_EQ(rows.codes[31], 1);
  EXPECT_EQ(rows.codes[32], 128);
  EXPECT_EQ(rows.codes[63], 128);
  EXPECT_EQ(rows.codes[64], 1);
  EXPECT_EQ(rows.scales, (std::vector<uint8_t>{1, 1, 0, 0, 1, 1}));
}

TEST(GgmlBlocks, BlocksOfCoversTheColumns) {
  EXPECT_EQ(blocks_of(GgmlType::q4_0, {32, 64}), (Range{1, 2}));
  EXPECT_EQ(blocks_of(GgmlType::q4_0, {33, 64}), (Range{1, 2}));
  EXPECT_EQ(blocks_of(GgmlType::q4_k, {224, 257}), (Range{0, 2}));
  EXPECT_EQ(blocks_of(GgmlType::f32, {3, 9}), (Range{3, 9}));
}

}  // namespace
}  // namespace colonnade
