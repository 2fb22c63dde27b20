#include "colonnade/io/safetensors_source.h"

#include <functional>
#include <string>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/random.h"
#include "tests/support/safetensors_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRows = 12, kCols = 10;

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

class SafetensorsSourceTest : public ::testing::Test {
 protected:
  const std::vector<float> dense_ = test::random_floats(3, kRows* kCols);
  test::TemporaryFolder folder_;
  const SafetensorsSource source_{SafetensorsFiles(folder_.write(
      "m.safetensors",
      test::SafetensorsBuilder()
          .add("dense", "F32", {kRows, kCols}, bytes_of(dense_))
          .add("experts", "F32", {2, 6, kCols}, bytes_of(dense_))
          .add("norm", "BF16", {4}, bytes_of<uint16_t>({0x3f80, 0x4000, 0x3f80, 0xc000}))
          .add("half", "F16", {2, 2}, bytes_of<uint16_t>({0x3c00, 0x4000, 0x4200, 0x4400}))
          .add("ids", "I64", {2}, std::string(16, '\1'))
          .bytes()))};

  std::vector<float> read(const TensorEntry& entry, const MatrixSlice& slice, Range rows) const {
    std::vector<float> out(static_cast<size_t>(rows.size() * slice.cols.size()));
    source_.rows(entry, slice).dense(rows, reinterpret_cast<std::byte*>(out.data()));
    return out;
  }
  /// Rows of `dense_`, columns `cols` of each.
  std::vector<float> expected(const std::vector<int64_t>& rows, Range cols) const {
    std::vector<float> out;
    for (const int64_t row : rows) {
      out.insert(out.end(), dense_.begin() + row * kCols + cols.begin,
                 dense_.begin() + row * kCols + cols.end);
    }
    return out;
  }
  std::string error(const std::function<void()>& function) const {
    try {
      function();
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_F(SafetensorsSourceTest, EntriesAreTheFilesTensors) {
  ASSERT_EQ(source_.entries().size(), 5U);
  const TensorEntry* experts = source_.find("experts");
  ASSERT_NE(experts, nullptr);
  EXPECT_EQ(experts->rows, 12);
  EXPECT_EQ(experts->cols, kCols);
  EXPECT_EQ(experts->format, WeightFormat::f32);
  EXPECT_EQ(experts->file_bytes, kRows * kCols * 4);
  EXPECT_EQ(experts->file_name, "experts");
  EXPECT_EQ(source_.find("norm")->rows, 1);
  EXPECT_EQ(source_.find("norm")->format, WeightFormat::bf16);
  EXPECT_EQ(source_.find("half")->format, WeightFormat::f16);
  EXPECT_EQ(source_.find("nothing"), nullptr);
}

TEST_F(SafetensorsSourceTest, ASliceIsThatPartAndNothingElseIsRead) {
  const TensorEntry& entry = *source_.find("dense");
  const int64_t before = source_.files().bytes_read();
  EXPECT_TRUE(test::same_bits(read(entry, {{4, 9}, {2, 7}}, {1, 3}), expected({5, 6}, {2, 7})));
  EXPECT_EQ(source_.files().bytes_read() - before, 2 * 5 * 4);
  EXPECT_TRUE(test::same_bits(read(entry, {{4, 9}, {0, kCols}}, {0, 5}),
                              expected({4, 5, 6, 7, 8}, {0, kCols})));
}

TEST_F(SafetensorsSourceTest, AnEntryMayBeAnyRowsOfATensor) {
  TensorEntry entry = *source_.find("experts");
  entry.rows = 4;
  entry.map = {.first = 1, .block = 2, .stride = 6};
  EXPECT_TRUE(
      test::same_bits(read(entry, {{0, 4}, {3, 8}}, {0, 4}), expected({1, 2, 7, 8}, {3, 8})));
  EXPECT_TRUE(
      test::same_bits(read(entry, {{0, 4}, {0, 3}, 4}, {0, 4}), expected({1, 7, 2, 8}, {0, 3})));
}

TEST_F(SafetensorsSourceTest, ATransposedEntryIsTheColumnsOfTheTensor) {
  // The file's [12, 10] as a matrix [6, 12]: columns 1 2 3 5 6 7, as of a fused matrix.
  TensorEntry entry = *source_.find("dense");
  entry.rows = 6;
  entry.cols = kRows;
  entry.map = {.first = 1, .block = 3, .stride = 4};
  entry.transposed = true;
  const int64_t file_cols[] = {1, 2, 3, 5, 6, 7};
  const std::vector<float> all = read(entry, {{0, 6}, {0, kRows}}, {0, 6});
  const std::vector<float> part = read(entry, {{2, 6}, {5, 9}}, {1, 3});
  for (int64_t row = 0; row < 6; ++row) {
    for (int64_t col = 0; col < kRows; ++col) {
      const float value = dense_[static_cast<size_t>(col * kCols + file_cols[row])];
      EXPECT_EQ(all[static_cast<size_t>(row * kRows + col)], value) << row << ", " << col;
      if ((row == 3 || row == 4) && col >= 5 && col < 9) {
        EXPECT_EQ(part[static_cast<size_t>((row - 3) * 4 + col - 5)], value) << row << ", " << col;
      }
    }
  }
}

TEST_F(SafetensorsSourceTest, ATransposedEntryMayBeginAtAnyRowOfTheTensor) {
  // The second of two experts [6, 10], each transposed.
  TensorEntry entry = *source_.find("experts");
  entry.rows = kCols;
  entry.cols = 6;
  entry.transposed = true;
  entry.first_col = 6;
  const std::vector<float> all = read(entry, {{0, kCols}, {0, 6}}, {0, kCols});
  const std::vector<float> part = read(entry, {{3, 5}, {2, 4}}, {0, 2});
  for (int64_t row = 0; row < kCols; ++row) {
    for (int64_t col = 0; col < 6; ++col) {
      EXPECT_EQ(all[static_cast<size_t>(row * 6 + col)],
                dense_[static_cast<size_t>((6 + col) * kCols + row)]);
    }
  }
  EXPECT_EQ(part,
            (std::vector<float>{all[3 * 6 + 2], all[3 * 6 + 3], all[4 * 6 + 2], all[4 * 6 + 3]}));
  entry.first_col = 7;
  EXPECT_THAT(error([&] {
                source_.rows(entry, {{0, 1}, {0, 1}});
              }),
              HasSubstr("expected at least 10 rows of 13 for 'experts', got [10, 12]"));
}

TEST_F(SafetensorsSourceTest, ValuesAreF32WithWhatIsAdded) {
  EXPECT_TRUE(test::same_bits(source_.values(*source_.find("dense")), dense_));
  EXPECT_EQ(source_.values(*source_.find("half")), (std::vector<float>{1, 2, 3, 4}));
  TensorEntry norm = *source_.find("norm");
  EXPECT_EQ(source_.values(norm), (std::vector<float>{1, 2, 1, -2}));
  norm.cols = 2;
  norm.map.first = 1;
  norm.add = 1;
  EXPECT_EQ(source_.values(norm), (std::vector<float>{3, 2}));
}

TEST_F(SafetensorsSourceTest, ATypeThatNoWeightHasIsRefusedWhenItIsRead) {
  const TensorEntry& ids = *source_.find("ids");
  const std::string words = "tensor 'ids': expected weights of F32, F16 or BF16, got I64";
  EXPECT_THAT(error([&] { source_.values(ids); }), HasSubstr(words));
  EXPECT_THAT(error([&] { source_.rows(ids, {{0, 1}, {0, 2}}); }), HasSubstr(words));
}

TEST_F(SafetensorsSourceTest, ATensorOfFiveDimensionsIsListedAndRefusedWhenItIsRead) {
  const SafetensorsSource source{SafetensorsFiles(folder_.write(
      "five.safetensors",
      test::SafetensorsBuilder().add("w", "F16", {1, 1, 1, 2, 3}, std::string(12, 'x')).bytes()))};
  const TensorEntry& w = *source.find("w");
  const std::string words =
      "tensor 'w': expected a weight of at most 4 dimensions, got [1, 1, 1, 2, 3] F16";
  EXPECT_THAT(error([&] { source.values(w); }), HasSubstr(words));
  EXPECT_THAT(error([&] { source.rows(w, {{0, 2}, {0, 3}}); }), HasSubstr(words));
}

TEST_F(SafetensorsSourceTest, AGroupedWeightIsOneEntryThatCanBeAnyOfItsRows) {
  const SafetensorsFiles golden(std::string(COLONNADE_TEST_DATA) + "/grouped_weights.safetensors");
  test::SafetensorsBuilder builder;
  for (const char* name : {"experts_blocks", "experts_scales", "experts.values"}) {
    const SafetensorsTensor& tensor = *golden.find(name);
    std::string bytes(static_cast<size_t>(tensor.size_bytes), '\0');
    golden.read(tensor, 0, std::as_writable_bytes(std::span(bytes)));
    builder.add(name, name_of(tensor.type),
                {tensor.dims.begin(), tensor.dims.begin() + tensor.dim_count}, bytes);
  }
  const SafetensorsSource source(SafetensorsFiles(folder_.write("e.safetensors", builder.bytes())));
  EXPECT_EQ(source.find("experts_blocks"), nullptr);
  TensorEntry entry = *source.find("experts");
  EXPECT_EQ(entry.format, WeightFormat::mxfp4);
  EXPECT_EQ(entry.rows, 6);
  entry.rows = 3;
  entry.map = {.first = 1, .block = 1, .stride = 2};  // every second row, as gpt-oss needs them
  GroupedRows rows;
  source.rows(entry, {{0, 3}, {32, 64}}).grouped({1, 3}, rows);
  const std::vector<float> all = source.values(*source.find("experts.values"));
  std::vector<float> row(32);
  for (int64_t r = 0; r < 2; ++r) {
    dequantize_row(rows, r, row);
    const auto begin = all.begin() + (2 * r + 3) * 128 + 32;
    EXPECT_EQ(row, std::vector<float>(begin, begin + 32)) << r;
  }
  EXPECT_THAT(error([&] { source.values(entry); }), HasSubstr("expected dense values, got groups"));
  entry.transposed = true;
  EXPECT_THAT(error([&] {
                source.rows(entry, {{0, 3}, {0, 128}});
              }),
              HasSubstr("because it is transposed, got groups of mxfp4"));
}

TEST_F(SafetensorsSourceTest, AQuantizationThatIsNotReadIsRefusedByName) {
  const HfConfig config(R"({"quantization_config": {"quant_method": "gptq", "bits": 4}})",
                        "c.json");
  EXPECT_THAT(error([&] { SafetensorsSource(SafetensorsFiles(folder_.path()), &config); }),
              HasSubstr("c.json: quantization_config.quant_method: expected mxfp4, got 'gptq'"));
}

TEST_F(SafetensorsSourceTest, ASliceOrAnEntryThatLeavesTheTensorIsNamed) {
  const TensorEntry& dense = *source_.find("dense");
  const auto slice_error = [&](const TensorEntry& entry, MatrixSlice slice) {
    return error([&] { source_.rows(entry, slice); });
  };
  EXPECT_THAT(slice_error(dense, {{0, 13}, {0, 10}}),
              HasSubstr("tensor 'dense': expected a slice of [12, 10], got rows 0 to 13"));
  EXPECT_THAT(slice_error(dense, {{0, 1}, {-1, 10}}), HasSubstr("columns -1 to 10"));
  EXPECT_THAT(slice_error(dense, {{0, 12}, {0, 10}, 8}), HasSubstr("whole heads of 8, got 12"));
  TensorEntry part = dense;
  part.name = "q";
  part.map.first = 1;
  EXPECT_THAT(slice_error(part, {{0, 1}, {0, 10}}),
              HasSubstr("tensor 'dense': expected at least 13 rows of 10 for 'q', got [12, 10]"));
  part.map.first = 0;
  part.transposed = true;
  EXPECT_THAT(slice_error(part, {{0, 1}, {0, 10}}),
              HasSubstr("for 'q', got [10, 12], which is transposed"));
}

}  // namespace
}  // namespace colonnade
