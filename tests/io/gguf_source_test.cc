#include "colonnade/io/gguf_source.h"

#include <cstring>
#include <string>

#include "tests/support/bits.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/random.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/tensor/grouped_rows.h"

namespace colonnade {
namespace {

constexpr uint32_t kF32 = 0, kQ8_0 = 8;
constexpr int64_t kRows = 12, kCols = 64, kHead = 6;

std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// Q8_0 blocks of scale 1 whose codes are `row` + column.
std::string q8_rows() {
  std::string bytes;
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t begin = 0; begin < kCols; begin += 32) {
      bytes += test::le<uint16_t>(0x3c00);  // 1 as f16
      for (int64_t col = begin; col < begin + 32; ++col)
        bytes += static_cast<char>(row * 3 + col - 48);
    }
  }
  return bytes;
}

class GgufSourceTest : public testing::Test {
 protected:
  const std::vector<float> dense_ = test::random_floats(3, kRows* kCols);
  test::TemporaryFolder folder_;
  const GgufFile file_ = GgufFile(folder_.write(
      "m.gguf", test::GgufBuilder()
                    .add_tensor("dense.weight", {kCols, kRows}, kF32, bytes_of(dense_))
                    .add_tensor("grouped.weight", {kCols, kRows}, kQ8_0, q8_rows())
                    .add_tensor("norm.weight", {kCols}, kF32,
                                bytes_of({dense_.begin(), dense_.begin() + kCols}))
                    .bytes()));
  const GgufSource source_{file_};

  std::vector<float> grouped_values(const MatrixSlice& slice) const {
    GroupedRows rows;
    source_.rows(*source_.find("grouped.weight"), slice).grouped({0, slice.rows.size()}, rows);
    std::vector<float> all, row(static_cast<size_t>(slice.cols.size()));
    for (int64_t r = 0; r < slice.rows.size(); ++r) {
      dequantize_row(rows, r, row);
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }
};

TEST_F(GgufSourceTest, EntriesHaveTheModelsOrderOfDimensions) {
  ASSERT_EQ(source_.entries().size(), 3u);
  const TensorEntry* grouped = source_.find("grouped.weight");
  ASSERT_NE(grouped, nullptr);
  EXPECT_EQ(grouped->rows, kRows);
  EXPECT_EQ(grouped->cols, kCols);
  EXPECT_EQ(grouped->format, WeightFormat::q8_0);
  EXPECT_EQ(grouped->file_bytes, kRows * kCols / 32 * 34);
  EXPECT_EQ(source_.find("norm.weight")->rows, 1);
  EXPECT_EQ(source_.find("nothing"), nullptr);
}

TEST_F(GgufSourceTest, ASliceOfADenseMatrixIsThatPart) {
  const RowSource rows = source_.rows(*source_.find("dense.weight"), {{4, 9}, {16, 48}, 0});
  std::vector<float> part(2 * 32), expected;
  rows.dense({1, 3}, reinterpret_cast<std::byte*>(part.data()));
  for (const int64_t row : {5, 6}) {
    expected.insert(expected.end(), dense_.begin() + row * kCols + 16,
                    dense_.begin() + row * kCols + 48);
  }
  EXPECT_TRUE(test::same_bits(part, expected));
}

TEST_F(GgufSourceTest, InterleavedRowsComeInTheOrderOfHalfRotation) {
  // Within each head of six the file holds 0 3 1 4 2 5 of the model's rows.
  const int64_t in_file[kRows] = {0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11};
  const std::vector<float> plain = grouped_values({{0, kRows}, {0, kCols}, 0});
  const std::vector<float> turned = grouped_values({{0, kRows}, {0, kCols}, kHead});
  const RowSource rows =
      source_.rows(*source_.find("dense.weight"), {{0, kRows}, {0, kCols}, kHead});
  std::vector<float> dense(kRows * kCols);
  rows.dense({0, kRows}, reinterpret_cast<std::byte*>(dense.data()));
  for (int64_t row = 0; row < kRows; ++row) {
    const auto at = [&](const std::vector<float>& v, int64_t r) {
      return std::span(v).subspan(static_cast<size_t>(r * kCols), kCols);
    };
    EXPECT_TRUE(test::same_bits(at(turned, row), at(plain, in_file[row]))) << row;
    EXPECT_TRUE(test::same_bits(at(dense, row), at(dense_, in_file[row]))) << row;
  }
}

TEST_F(GgufSourceTest, ASliceOfInterleavedRowsIsThatPartOfThem) {
  const std::vector<float> whole = grouped_values({{0, kRows}, {0, kCols}, kHead});
  const std::vector<float> part = grouped_values({{6, 12}, {32, 64}, kHead});
  for (int64_t row = 0; row < 6; ++row) {
    EXPECT_TRUE(
        test::same_bits(std::span(part).subspan(static_cast<size_t>(row * 32), 32),
                        std::span(whole).subspan(static_cast<size_t>((row + 6) * kCols + 32), 32)))
        << row;
  }
}

TEST_F(GgufSourceTest, HeadsThatDoNotDivideTheRowsAreAnError) {
  for (const int64_t head : {5, 8}) {
    EXPECT_THROW(source_.rows(*source_.find("dense.weight"), {{0, kRows}, {0, kCols}, head}), Error)
        << head;
  }
}

TEST_F(GgufSourceTest, ValuesAreTheWholeTensor) {
  EXPECT_TRUE(test::same_bits(source_.values(*source_.find("dense.weight")), dense_));
}

TEST_F(GgufSourceTest, AnEntryMayBeAnyRowsOfATensor) {
  TensorEntry part = *source_.find("grouped.weight");
  part.name = "odd";
  part.rows = 4;
  part.map = {.first = 1, .block = 2, .stride = 5};  // rows 1 2 6 7
  const int64_t in_file[] = {1, 2, 6, 7};
  const std::vector<float> plain = grouped_values({{0, kRows}, {0, kCols}, 0});
  GroupedRows rows;
  source_.rows(part, {{0, 4}, {0, kCols}, 0}).grouped({1, 4}, rows);
  ASSERT_EQ(rows.rows, 3);
  std::vector<float> row(kCols);
  for (int64_t r = 0; r < 3; ++r) {
    dequantize_row(rows, r, row);
    EXPECT_TRUE(test::same_bits(
        row, std::span(plain).subspan(static_cast<size_t>(in_file[r + 1] * kCols), kCols)));
  }
}

TEST_F(GgufSourceTest, AVectorMayBeAnyElementsOfATensorAndHaveANumberAdded) {
  TensorEntry part = *source_.find("norm.weight");
  part.cols = 3;
  part.map = {.first = 10, .block = 1, .stride = 2};
  part.add = 1;
  const std::vector<float> values = source_.values(part);
  EXPECT_EQ(values, (std::vector<float>{dense_[10] + 1, dense_[12] + 1, dense_[14] + 1}));
}

TEST_F(GgufSourceTest, ARowBehindTheTensorsLastIsAnErrorThatNamesIt) {
  TensorEntry part = *source_.find("dense.weight");
  part.map.first = 1;
  std::vector<float> out(kRows * kCols);
  const RowSource rows = source_.rows(part, {{0, kRows}, {0, kCols}, 0});
  EXPECT_THROW(rows.dense({0, kRows}, reinterpret_cast<std::byte*>(out.data())), Error);
  EXPECT_THROW(source_.values(part), Error);
}

TEST_F(GgufSourceTest, ATensorOfThreeDimensionsHasTheOuterOnesAsRows) {
  const GgufFile file(folder_.write(
      "cube.gguf", test::GgufBuilder()
                       .add_tensor("cube", {2, 3, 4}, kF32, bytes_of(std::vector<float>(24)))
                       .bytes()));
  const GgufSource source(file);
  EXPECT_EQ(source.find("cube")->rows, 12);
  EXPECT_EQ(source.find("cube")->cols, 2);
}

}  // namespace
}  // namespace colonnade
