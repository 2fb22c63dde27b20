#include "colonnade/api/quantize.h"

#include <filesystem>

#include "tests/support/bits.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/random.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/io/ggml_quantize.h"
#include "colonnade/io/gguf.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/io/number_rows.h"

namespace colonnade {
namespace {

constexpr GgmlType kTypes[] = {GgmlType::f32,  GgmlType::f16,  GgmlType::bf16,
                               GgmlType::q8_0, GgmlType::q4_0, GgmlType::q4_1};

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::vector<std::byte> bytes_of(const GgufFile& file, const GgufTensor& tensor) {
  std::vector<std::byte> bytes(static_cast<size_t>(tensor.size_bytes));
  file.read(tensor, 0, bytes);
  return bytes;
}

std::vector<std::byte> row_by_row(const GgufFile& file, const std::string& name, GgmlType type) {
  const GgufSource source(file);
  const TensorEntry& entry = *source.find(name);
  const RowSource rows = source.rows(entry, {{0, entry.rows}, {0, entry.cols}});
  const GgmlTypeInfo& info = info_of(type);
  const int64_t row_bytes = entry.cols / info.block_elements * info.block_bytes;
  std::vector<float> numbers(static_cast<size_t>(entry.cols));
  std::vector<std::byte> out(static_cast<size_t>(entry.rows * row_bytes));
  for (int64_t row = 0; row < entry.rows; ++row) {
    read_numbers(rows, entry.format, {row, row + 1}, numbers);
    EXPECT_TRUE(quantize_row(type, numbers, out.data() + row * row_bytes));
  }
  return out;
}

std::string error_of(const QuantizeRequest& request) {
  try {
    quantize_model(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Quantize, EveryTensorIsThatOfTheModelRowByRowInItsNewType) {
  const test::TemporaryFolder folder;
  const std::string model = folder.write("m.gguf", test::tiny_model({}));
  const GgufFile before(model);
  for (const GgmlType type : kTypes) {
    const std::string output = folder.path() + "/out.gguf";
    const QuantizeReport report = quantize_model({model, output, {type}, 3});
    const GgufFile after(output);
    ASSERT_EQ(after.tensors().size(), before.tensors().size());
    for (const GgufTensor& tensor : before.tensors()) {
      const GgufTensor& made = *after.find(tensor.name);
      EXPECT_EQ(made.dims, tensor.dims);
      EXPECT_EQ(made.type, tensor.dim_count == 1 ? GgmlType::f32 : type) << tensor.name;
      const std::vector<std::byte> expected = made.type == tensor.type
                                                  ? bytes_of(before, tensor)
                                                  : row_by_row(before, tensor.name, made.type);
      EXPECT_TRUE(test::same_bits(bytes_of(after, made), expected)) << tensor.name;
    }
    EXPECT_EQ(after.metadata().integer("general.file_type"), file_type_of(type));
    EXPECT_EQ(after.metadata().integer("general.quantization_version"), 2);
    EXPECT_EQ(after.metadata().text("general.architecture"), "llama");
    EXPECT_EQ(report.file_bytes_after, after.size_bytes());
    EXPECT_EQ(report.tensors.size(), after.tensors().size());
  }
}

TEST(Quantize, AnyNumberOfThreadsWritesTheSameFile) {
  const test::TemporaryFolder folder;
  const std::string model = folder.write("m.gguf", test::tiny_model({}));
  std::string first;
  for (const int threads : {1, 2, 5}) {
    const std::string output = folder.path() + "/out" + std::to_string(threads) + ".gguf";
    quantize_model({model, output, {GgmlType::q4_0}, threads});
    const GgufFile file(output);
    std::string all(static_cast<size_t>(file.size_bytes()), '\0');
    file.files()[0].read_at(0, std::as_writable_bytes(std::span(all)));
    if (first.empty()) first = all;
    EXPECT_EQ(all, first) << threads;
  }
}

TEST(Quantize, ANumberThatATypeCannotHoldIsRefusedWithItsTensorAndRow) {
  const test::TemporaryFolder folder;
  std::vector<float> values = test::random_floats(2, 64 * 3);
  values[64 * 2 + 5] = 1e6F;
  const std::string model = folder.write(
      "m.gguf",
      test::GgufBuilder().add_tensor("blk.0.up.weight", {64, 3}, 0, floats(values)).bytes());
  const std::string output = folder.path() + "/out.gguf";
  EXPECT_THAT(error_of({model, output, {GgmlType::f16}, 1}),
              testing::HasSubstr("m.gguf: tensor 'blk.0.up.weight': row 2: expected finite numbers "
                                 "that F16 can hold, got others: choose a wider type"));
  EXPECT_FALSE(std::filesystem::exists(output));
  EXPECT_EQ(error_of({model, output, {GgmlType::bf16}, 1}), "no error");
}

TEST(Quantize, TheModelItselfIsNoOutput) {
  const test::TemporaryFolder folder;
  const std::string model = folder.write("m.gguf", test::tiny_model({}));
  EXPECT_THAT(error_of({model, folder.path() + "/./m.gguf", {GgmlType::f16}, 1}),
              testing::HasSubstr("is a file of the model"));
}

TEST(Quantize, WhatThrowsInTheProgressEndsTheWorkAndLeavesNothing) {
  const test::TemporaryFolder folder;
  const std::string model = folder.write("m.gguf", test::tiny_model({}));
  const std::string output = folder.path() + "/out.gguf";
  const auto stop = [](int64_t, int64_t) { throw Error("stopped"); };
  EXPECT_EQ(error_of({model, output, {GgmlType::f16}, 1, stop}), "stopped");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Quantize, ProgressCountsToAllBytesOfTheModelsTensors) {
  const test::TemporaryFolder folder;
  const std::string model = folder.write("m.gguf", test::tiny_model({}));
  int64_t last = 0, all = -1;
  quantize_model(
      {model, folder.path() + "/out.gguf", {GgmlType::q8_0}, 1, [&](int64_t done, int64_t of) {
         EXPECT_GE(done, last);
         last = done;
         all = of;
       }});
  EXPECT_EQ(last, all);
}

}  // namespace
}  // namespace colonnade
