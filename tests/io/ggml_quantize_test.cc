#include "colonnade/io/ggml_quantize.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/random.h"
#include <gtest/gtest.h>

#include "colonnade/io/ggml_blocks.h"
#include "colonnade/io/gguf.h"

namespace colonnade {
namespace {

constexpr GgmlType kNarrow[] = {GgmlType::f16, GgmlType::bf16, GgmlType::q8_0, GgmlType::q4_0,
                                GgmlType::q4_1};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::byte> quantized(GgmlType type, const std::vector<float>& row) {
  const GgmlTypeInfo& info = info_of(type);
  const size_t bytes =
      row.size() / static_cast<size_t>(info.block_elements) * static_cast<size_t>(info.block_bytes);
  std::vector<std::byte> out(bytes);
  EXPECT_TRUE(quantize_row(type, row, out.data())) << info.name;
  return out;
}

bool fits(GgmlType type, std::vector<float> row, float value) {
  row[37] = value;
  std::vector<std::byte> out(row.size() * sizeof(float));
  return quantize_row(type, row, out.data());
}

TEST(GgmlQuantize, MakesTheBlocksOfTheReferencePackage) {
  const GgufFile golden(std::string(COLONNADE_TEST_DATA) + "/ggml_quantized.gguf");
  const GgufTensor& numbers = *golden.find("numbers");
  std::vector<float> row(static_cast<size_t>(numbers.cols()));
  for (const GgmlType type : kNarrow) {
    const GgufTensor& blocks = *golden.find(name_of(type));
    ASSERT_EQ(blocks.type, type);
    std::vector<std::byte> expected(static_cast<size_t>(blocks.row_bytes()));
    for (int64_t r = 0; r < numbers.rows(); ++r) {
      golden.read(numbers, r * numbers.row_bytes(), std::as_writable_bytes(std::span(row)));
      golden.read(blocks, r * blocks.row_bytes(), expected);
      EXPECT_TRUE(test::same_bits(quantized(type, row), expected)) << name_of(type) << " row " << r;
    }
  }
}

TEST(GgmlQuantize, ANumberOfABlockTypeIsWithinHalfAStepOfWhatItWas) {
  for (const GgmlType type : {GgmlType::q8_0, GgmlType::q4_0, GgmlType::q4_1}) {
    const std::vector<float> row = test::random_floats(4, 32 * 20, 2.0F);
    const auto size = static_cast<int64_t>(row.size());
    GroupedRows rows;
    rows.reshape(weight_format(type), 1, 0, size);
    decode_rows(type, quantized(type, row).data(), {0, 1}, rows);
    std::vector<float> back(row.size());
    dequantize_row(rows, 0, back);
    // Half a step of a block in [-2, 2), and what rounding its scale to f16 adds. Q4_0 has no code
    // for eight steps up: a whole one.
    const float half_step = type == GgmlType::q8_0   ? 1.0F / 127
                            : type == GgmlType::q4_0 ? 2.0F / 8
                                                     : 2.0F / 15;
    for (size_t i = 0; i < row.size(); ++i)
      EXPECT_NEAR(back[i], row[i], half_step + 4.0F / 2048) << name_of(type) << " " << i;
  }
}

TEST(GgmlQuantize, HalvesAreRoundedAwayFromZeroAndWhatIsBelowIsNot) {
  std::vector<float> row(32, 0.0F);
  row[0] = 127.0F;  // a scale of 1
  row[1] = 0.5F;
  row[2] = -0.5F;
  row[3] = 0.49999997F;
  row[4] = -126.5F;
  const std::vector<std::byte> block = quantized(GgmlType::q8_0, row);
  const auto code = [&](size_t i) { return static_cast<int>(static_cast<int8_t>(block[2 + i])); };
  EXPECT_EQ(code(0), 127);
  EXPECT_EQ(code(1), 1);
  EXPECT_EQ(code(2), -1);
  EXPECT_EQ(code(3), 0);
  EXPECT_EQ(code(4), -127);
}

TEST(GgmlQuantize, RefusesNumbersThatTheTypeCannotHold) {
  const std::vector<float> row = test::random_floats(9, 96);
  for (const GgmlType type : kNarrow) {
    EXPECT_TRUE(fits(type, row, 0.0F)) << name_of(type);
    EXPECT_FALSE(fits(type, row, kInfinity)) << name_of(type);
    EXPECT_FALSE(fits(type, row, -kInfinity)) << name_of(type);
    EXPECT_FALSE(fits(type, row, std::nanf(""))) << name_of(type);
    EXPECT_FALSE(fits(type, row, 3.4e38F)) << name_of(type);
  }
  EXPECT_FALSE(fits(GgmlType::f32, row, kInfinity));
  EXPECT_TRUE(fits(GgmlType::f32, row, 3.4e38F));
  EXPECT_TRUE(fits(GgmlType::f16, row, 65519.0F));
  EXPECT_FALSE(fits(GgmlType::f16, row, 65520.0F));
  EXPECT_TRUE(fits(GgmlType::q8_0, row, 127 * 65504.0F));
  EXPECT_FALSE(fits(GgmlType::q8_0, row, 127 * 65530.0F));
  EXPECT_TRUE(fits(GgmlType::q4_1, row, -65504.0F));
  EXPECT_FALSE(fits(GgmlType::q4_1, row, -65530.0F));  // the offset
}

TEST(GgmlQuantize, ABlockWhoseScaleIsNextToZeroIsZero) {
  const std::vector<float> row(32, 1e-44F);
  for (const GgmlType type : {GgmlType::q8_0, GgmlType::q4_0}) {
    const std::vector<std::byte> block = quantized(type, row);
    EXPECT_EQ(std::to_integer<int>(block[0]), 0) << name_of(type);
    EXPECT_EQ(std::to_integer<int>(block[1]) & 0x7f, 0) << name_of(type);
  }
}

TEST(GgmlQuantize, OnlyItsOwnTypesAreWritable) {
  for (const GgmlType type : kNarrow) EXPECT_TRUE(is_writable(type));
  EXPECT_TRUE(is_writable(GgmlType::f32));
  EXPECT_FALSE(is_writable(GgmlType::q4_k));
  EXPECT_EQ(writable_ggml_types(), "F32, F16, BF16, Q8_0, Q4_0, Q4_1");
}

}  // namespace
}  // namespace colonnade
