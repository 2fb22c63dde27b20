#include "colonnade/io/grouped_tensors.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/gguf_builder.h"
#include "tests/support/safetensors_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/io/dense_values.h"

namespace colonnade {
namespace {

using test::SafetensorsBuilder;
using ::testing::HasSubstr;

/// Every bits and group size of MLX, as tests/data/grouped_weights.safetensors has them.
std::string golden_config() {
  std::string fields = R"("bits": 4, "group_size": 64)";
  for (const int bits : kAffineBits) {
    for (const int group : kAffineGroups) {
      fields += ", \"affine" + std::to_string(bits) + "_g" + std::to_string(group) +
                "\": {\"bits\": " + std::to_string(bits) +
                ", \"group_size\": " + std::to_string(group) + "}";
    }
  }
  fields += R"(, "mxfp4": {"bits": 4, "group_size": 32, "mode": "mxfp4"})";
  for (const char* name : {"nvfp4", "nvfp4_extreme"}) {
    fields += concat(", \"", name, R"(": {"bits": 4, "group_size": 16, "mode": "nvfp4"})");
  }
  for (const char* name : {"mxfp8", "mxfp8_extreme"}) {
    fields += concat(", \"", name, R"(": {"bits": 8, "group_size": 32, "mode": "mxfp8"})");
  }
  return "{\"quantization\": {" + fields + "}}";
}

class GoldenGroups : public ::testing::Test {
 protected:
  const SafetensorsFiles files_{std::string(COLONNADE_TEST_DATA) + "/grouped_weights.safetensors"};
  const GroupedTensors tensors_{files_, MlxQuantization(HfConfig(golden_config(), "config.json"))};

  std::vector<std::byte> raw(const std::string& name) const {
    const SafetensorsTensor& tensor = *files_.find(name);
    std::vector<std::byte> bytes(static_cast<size_t>(tensor.size_bytes));
    files_.read(tensor, 0, bytes);
    return bytes;
  }
  std::vector<float> values(const std::string& name) const {
    return dense_values(WeightFormat::f32, raw(name));
  }
  GroupedRows read(const GroupedTensor& tensor, Range rows, Range cols) const {
    GroupedRows out;
    out.reshape(tensor.format, rows.size(), cols.begin, cols.size());
    read_grouped(files_, tensor, rows, 0, out);
    return out;
  }
  static std::vector<float> numbers(const GroupedRows& rows) {
    std::vector<float> all, row(static_cast<size_t>(rows.cols));
    for (int64_t r = 0; r < rows.rows; ++r) {
      dequantize_row(rows, r, row);
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }
};

TEST_F(GoldenGroups, EveryAffineFormatMeansWhatMlxMeans) {
  for (const int bits : kAffineBits) {
    for (const int group : kAffineGroups) {
      const std::string name = "affine" + std::to_string(bits) + "_g" + std::to_string(group);
      const GroupedTensor* tensor = tensors_.find(name + ".weight");
      ASSERT_NE(tensor, nullptr) << name;
      ASSERT_EQ(tensor->rows, 2);
      ASSERT_EQ(tensor->cols, 128);
      const GroupedRows rows = read(*tensor, {0, 2}, {0, 128});
      const std::vector<std::byte> codes = raw(name + ".codes");
      EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(rows.codes)), codes)) << name;
      EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(rows.scales)), raw(name + ".scales")));
      EXPECT_TRUE(
          std::ranges::equal(std::as_bytes(std::span(rows.offsets)), raw(name + ".biases")));
      EXPECT_EQ(numbers(rows), values(name + ".values")) << name;
    }
  }
}

TEST_F(GoldenGroups, Mxfp4MeansWhatMlxAndTransformersMean) {
  const GroupedTensor* mlx = tensors_.find("mxfp4.weight");
  ASSERT_NE(mlx, nullptr);
  EXPECT_EQ(mlx->format, WeightFormat::mxfp4);
  EXPECT_EQ(numbers(read(*mlx, {0, 2}, {0, 128})), values("mxfp4.values"));
  const GroupedTensor* experts = tensors_.find("experts");
  ASSERT_NE(experts, nullptr);
  EXPECT_EQ(experts->format, WeightFormat::mxfp4);
  EXPECT_EQ(experts->rows, 6);
  EXPECT_EQ(experts->cols, 128);
  EXPECT_EQ(numbers(read(*experts, {0, 6}, {0, 128})), values("experts.values"));
}

TEST_F(GoldenGroups, Nvfp4AndMxfp8MeanWhatMlxMeansWithEveryScale) {
  for (const auto format : {WeightFormat::nvfp4, WeightFormat::mxfp8}) {
    for (const char* end : {"", "_extreme"}) {
      const std::string name = std::string(name_of(format)) + end;
      const GroupedTensor* tensor = tensors_.find(name + ".weight");
      ASSERT_NE(tensor, nullptr) << name;
      EXPECT_EQ(tensor->format, format);
      EXPECT_EQ(tensor->cols, 128);
      EXPECT_EQ(numbers(read(*tensor, {0, tensor->rows}, {0, 128})), values(name + ".values"))
          << name;
    }
  }
  EXPECT_EQ(tensors_.find("nvfp4_extreme.weight")->rows, 32);
  EXPECT_EQ(tensors_.find("mxfp8_extreme.weight")->rows, 64);
}

TEST_F(GoldenGroups, ASliceIsThatPartOfTheWholeAndNothingElseIsRead) {
  for (const auto& [name, tensor] : tensors_.all()) {
    const std::vector<float> whole = numbers(read(tensor, {0, tensor.rows}, {0, tensor.cols}));
    for (const Range cols : {Range{32, 96}, Range{37, 101}, Range{64, 128}, Range{5, 5}}) {
      const std::vector<float> part = numbers(read(tensor, {1, 2}, cols));
      EXPECT_TRUE(std::ranges::equal(
          part, std::span(whole).subspan(static_cast<size_t>(tensor.cols + cols.begin),
                                         static_cast<size_t>(cols.size()))))
          << name << " from " << cols.begin;
    }
  }
  const int64_t before = files_.bytes_read();
  read(*tensors_.find("affine4_g32.weight"), {1, 2}, {32, 96});
  EXPECT_EQ(files_.bytes_read() - before, 64 / 2 + 2 * 2 * 4);
}

TEST_F(GoldenGroups, PartsAreKnownAndOtherTensorsAreNone) {
  for (const char* name : {"affine2_g32.weight", "affine2_g32.scales", "affine2_g32.biases",
                           "mxfp4.weight", "experts_blocks", "experts_scales"}) {
    EXPECT_TRUE(tensors_.has_part(name)) << name;
  }
  EXPECT_FALSE(tensors_.has_part("affine2_g32.codes"));
  EXPECT_EQ(tensors_.find("affine2_g32"), nullptr);
  EXPECT_EQ(tensors_.all().size(), 24U);
  EXPECT_EQ(tensors_.find("nvfp4.weight")->file_bytes(), 2 * (64 + 8));
  EXPECT_EQ(tensors_.find("mxfp8.weight")->file_bytes(), 2 * (128 + 4));
  EXPECT_EQ(tensors_.find("mxfp4.weight")->file_bytes(), 2 * (64 + 4));
}

/// A model of one weight in MLX's form, [2, 64] of 4 bits, with one tensor as given.
struct OneWeight {
  std::string weight_type = "U32", scales_type = "F16", biases_type = "F16";
  std::vector<int64_t> weight{2, 8}, scales{2, 2}, biases{2, 2};
  std::string config = R"({"quantization": {"bits": 4, "group_size": 32}})";
  bool has_biases = true;

  static std::string zeros(const std::string& type, const std::vector<int64_t>& shape) {
    int64_t bits = info_of(*find_safetensors_type(type)).bits;
    for (const int64_t dim : shape) bits *= dim;
    return std::string(static_cast<size_t>(bits / 8), '\0');
  }

  std::string bytes() const {
    SafetensorsBuilder builder;
    builder.add("l.weight", weight_type, weight, zeros(weight_type, weight))
        .add("l.scales", scales_type, scales, zeros(scales_type, scales));
    if (has_biases) builder.add("l.biases", biases_type, biases, zeros(biases_type, biases));
    return builder.bytes();
  }
};

std::string error(const OneWeight& one) {
  const test::TemporaryFolder folder;
  const SafetensorsFiles files(folder.write("m.safetensors", one.bytes()));
  try {
    const GroupedTensors tensors(files, MlxQuantization(HfConfig(one.config, "config.json")));
    return concat(tensors.all().size(), " weights");
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(GroupedTensors, TensorsThatDoNotBelongTogetherAreNamed) {
  EXPECT_EQ(error({}), "1 weights");
  EXPECT_EQ(error({.weight_type = "F32"}), "0 weights");
  EXPECT_THAT(error({.config = "{}"}),
              HasSubstr("tensor 'l.weight': is quantized, but config.json does not say how"));
  EXPECT_THAT(error({.scales_type = "U8"}),
              HasSubstr("tensor 'l.scales': expected scales of F16, BF16 or F32, got [2, 2] U8"));
  EXPECT_THAT(error({.biases_type = "F32"}), HasSubstr("tensor 'l.biases': expected 2 rows of 2 "
                                                       "numbers of F16, as 'l.weight' needs"));
  EXPECT_THAT(error({.has_biases = false}),
              HasSubstr("tensor 'l.weight': expected biases beside its scales"));
  EXPECT_THAT(error({.scales = {2, 1}}), HasSubstr("tensor 'l.scales': expected 2 rows of 2"));
  EXPECT_THAT(error({.scales = {4, 1}}), HasSubstr("got [4, 1] F16"));
  EXPECT_THAT(error({.biases = {1, 2}}), HasSubstr("tensor 'l.biases': expected 2 rows of 2"));
  EXPECT_THAT(error({.weight = {2, 6}}),
              HasSubstr("expected rows of whole groups of 32 elements (they have 48), got [2, 6]"));
  EXPECT_THAT(error({.weight = {16}}), HasSubstr("rows of whole codes of 4 bits, got [16] U32"));
  EXPECT_THAT(error({.config = R"({"quantization": {"bits": 3, "group_size": 32}})"}),
              HasSubstr("tensor 'l.weight': expected rows of whole codes of 3 bits, got [2, 8]"));
  EXPECT_THAT(error({.config = R"({"quantization": {"bits": 4, "mode": "mxfp4"}})"}),
              HasSubstr("tensor 'l.scales': expected scales of U8, got [2, 2] F16"));
  EXPECT_THAT(error({.config = R"({"quantization": {"bits": 4, "mode": "nvfp4"}})"}),
              HasSubstr("tensor 'l.scales': expected scales of U8, got [2, 2] F16"));
  EXPECT_THAT(
      error({.scales_type = "U8", .config = R"({"quantization": {"bits": 4, "mode": "nvfp4"}})"}),
      HasSubstr("tensor 'l.scales': expected 2 rows of 4 numbers of U8"));
}

/// What reading columns [32, 64) of a weight [2, 64] says, one byte of a tensor being as given.
std::string reading_error(const std::string& mode, const std::string& tensor, size_t at,
                          char byte) {
  const bool wide = mode == "mxfp8";
  std::string codes(wide ? 128 : 64, '\1'), scales(wide ? 4 : 8, '\1');
  (tensor == "codes" ? codes : scales)[at] = byte;
  const test::TemporaryFolder folder;
  const SafetensorsFiles files(
      folder.write("m.safetensors", SafetensorsBuilder()
                                        .add("l.weight", "U32", {2, wide ? 16 : 8}, codes)
                                        .add("l.scales", "U8", {2, wide ? 2 : 4}, scales)
                                        .bytes()));
  const std::string config = R"({"quantization": {"mode": ")" + mode + "\"}}";
  const GroupedTensors tensors(files, MlxQuantization(HfConfig(config, "config.json")));
  const GroupedTensor& weight = *tensors.find("l.weight");
  GroupedRows out;
  out.reshape(weight.format, 2, 32, 32);
  try {
    read_grouped(files, weight, {0, 2}, 0, out);
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(GroupedTensors, BytesThatAreNoNumbersAreNamedWithTheirPlace) {
  EXPECT_THAT(reading_error("mxfp8", "codes", 64 + 37, '\x7f'),
              HasSubstr("tensor 'l.weight': row 1, column 37: expected a number, got the byte 127, "
                        "which is none in E4M3"));
  EXPECT_THAT(reading_error("mxfp8", "codes", 63, '\xff'),
              HasSubstr("row 0, column 63: expected a number, got the byte 255"));
  EXPECT_THAT(reading_error("mxfp8", "scales", 3, '\xff'),
              HasSubstr("tensor 'l.scales': row 1, column 1: expected a number, got the byte 255, "
                        "which is none in E8M0"));
  EXPECT_THAT(reading_error("nvfp4", "scales", 6, '\x7f'),
              HasSubstr("tensor 'l.scales': row 1, column 2: expected a number, got the byte 127, "
                        "which is none in E4M3"));
  EXPECT_EQ(reading_error("mxfp8", "codes", 64, '\x7f'), "read") << "not in these columns";
  EXPECT_EQ(reading_error("mxfp8", "scales", 3, '\x7f'), "read");
  EXPECT_EQ(reading_error("nvfp4", "codes", 5, '\xff'), "read");
}

TEST(GroupedTensors, BlocksThatAreNoneAreNamed) {
  const test::TemporaryFolder folder;
  const auto error_of = [&](const std::vector<int64_t>& blocks, const std::vector<int64_t>& scales,
                            const std::string& scales_type) -> std::string {
    const SafetensorsFiles files(folder.write(
        "m.safetensors",
        SafetensorsBuilder()
            .add("x_blocks", "U8", blocks, OneWeight::zeros("U8", blocks))
            .add("x_scales", scales_type, scales, OneWeight::zeros(scales_type, scales))
            .bytes()));
    try {
      return concat(GroupedTensors(files, {}).all().size(), " weights");
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(error_of({2, 3, 4, 16}, {2, 3, 4}, "U8"), "1 weights");
  EXPECT_EQ(error_of({3, 4, 16}, {3, 4}, "U8"), "1 weights");
  EXPECT_THAT(error_of({2, 3, 4, 8}, {2, 3, 4}, "U8"),
              HasSubstr("tensor 'x_blocks': expected blocks of 16 bytes"));
  EXPECT_THAT(error_of({2, 3, 4, 16}, {2, 3, 4}, "F16"),
              HasSubstr("tensor 'x_scales': expected scales of U8"));
  EXPECT_THAT(error_of({2, 3, 4, 16}, {2, 3, 5}, "U8"),
              HasSubstr("tensor 'x_scales': expected 6 rows of 4 numbers of U8"));
}

}  // namespace
}  // namespace colonnade
