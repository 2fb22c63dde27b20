#include "colonnade/io/gguf_writer.h"

#include <filesystem>
#include <string>
#include <thread>

#include "tests/support/gguf_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/base/text_file.h"
#include "colonnade/io/gguf.h"

namespace colonnade {
namespace {

using test::gguf_string;
using test::GgufBuilder;
using test::le;

/// A file with a key of every type and tensors whose sizes need padding.
GgufBuilder sample() {
  GgufBuilder file;
  const std::string inner =
      le<uint32_t>(4).append(le<uint64_t>(2)).append(le<uint32_t>(7)).append(le<uint32_t>(8));
  file.add_string("general.architecture", "llama")
      .add("k.u8", 0, le<uint8_t>(200))
      .add("k.i8", 1, le<int8_t>(-5))
      .add("k.u16", 2, le<uint16_t>(60000))
      .add("k.i16", 3, le<int16_t>(-300))
      .add_u32("k.u32", 4'000'000'000)
      .add("k.i32", 5, le<int32_t>(-70000))
      .add_f32("k.f32", 1e-5F)
      .add_bool("k.true", true)
      .add_bool("k.false", false)
      .add_string("k.string", "two\nlines \xf0\x9f\x8d\x95")
      .add_strings("k.strings", {"", "a", "bc"})
      .add("k.floats", 9, le<uint32_t>(6).append(le<uint64_t>(2)).append(le(0.5F)).append(le(-1.F)))
      .add("k.flags", 9, le<uint32_t>(7).append(le<uint64_t>(2)).append("\1").append(1, '\0'))
      .add("k.nested", 9, le<uint32_t>(9).append(le<uint64_t>(2)).append(inner).append(inner))
      .add("k.words", 9,
           le<uint32_t>(9)
               .append(le<uint64_t>(1))
               .append(le<uint32_t>(8))
               .append(le<uint64_t>(1))
               .append(gguf_string("deep")))
      .add("k.u64", 10, le<uint64_t>(~uint64_t{0}))
      .add("k.i64", 11, le<int64_t>(-(int64_t{1} << 62)))
      .add("k.f64", 12, le(0.1))
      .add_tensor("vector", {5}, 0, std::string(20, 'v'))
      .add_tensor("halves", {3, 2}, 1, std::string(12, 'h'))
      .add_tensor("upper", {4}, 30, std::string(8, 'u'))
      .add_tensor("eight", {64, 2}, 8, std::string(136, '8'))
      .add_tensor("four", {32, 3, 2}, 2, std::string(108, '4'))
      .add_tensor("offsets", {32, 1, 1, 2}, 3, std::string(40, 'o'));
  return file;
}

std::vector<GgufTensorSpec> specs_of(const GgufFile& file) {
  std::vector<GgufTensorSpec> specs;
  for (const GgufTensor& tensor : file.tensors())
    specs.push_back(
        {tensor.name, tensor.type, {tensor.dims.begin(), tensor.dims.begin() + tensor.dim_count}});
  return specs;
}

std::vector<std::byte> bytes_of(const GgufFile& file, size_t index) {
  const GgufTensor& tensor = file.tensors()[index];
  std::vector<std::byte> bytes(static_cast<size_t>(tensor.size_bytes));
  file.read(tensor, 0, bytes);
  return bytes;
}

TEST(GgufWriter, WhatIsReadAndWrittenAgainIsTheSameFile) {
  const test::TemporaryFolder folder;
  const std::string bytes = sample().bytes();
  const GgufFile file(folder.write("in.gguf", bytes));
  GgufWriter writer(folder.path() + "/out.gguf", file.metadata().entries(), specs_of(file));
  for (size_t i = 0; i < file.tensors().size(); ++i) writer.write(i, 0, bytes_of(file, i));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/out.gguf"));
  writer.commit();
  const std::string written = read_text(folder.path() + "/out.gguf").value();
  EXPECT_EQ(static_cast<int64_t>(written.size()), writer.size_bytes());
  ASSERT_GE(written.size(), bytes.size());
  EXPECT_EQ(written.substr(0, bytes.size()), bytes);
  EXPECT_EQ(written.substr(bytes.size()), std::string(written.size() - bytes.size(), '\0'));
  EXPECT_EQ(written.size() % 32, 0u);
  EXPECT_EQ(GgufFile(folder.path() + "/out.gguf").tensors().size(), file.tensors().size());
}

TEST(GgufWriter, ObeysTheAlignmentOfTheMetadata) {
  const test::TemporaryFolder folder;
  GgufBuilder builder;
  builder.alignment = 256;
  const std::string bytes = builder.add_u32("general.alignment", 256)
                                .add_tensor("a", {1}, 0, "aaaa")
                                .add_tensor("b", {1}, 0, "bbbb")
                                .bytes();
  const GgufFile file(folder.write("in.gguf", bytes));
  GgufWriter writer(folder.path() + "/out.gguf", file.metadata().entries(), specs_of(file));
  for (size_t i = 0; i < 2; ++i) writer.write(i, 0, bytes_of(file, i));
  writer.commit();
  EXPECT_EQ(read_text(folder.path() + "/out.gguf")->substr(0, bytes.size()), bytes);
}

TEST(GgufWriter, ThreadsMayWritePartsOfATensorInAnyOrder) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/out.gguf";
  GgufWriter writer(path, {}, {{"t", GgmlType::f32, {64, 64}}});
  std::vector<std::thread> threads;
  for (int64_t part = 7; part >= 0; --part) {
    threads.emplace_back([&writer, part] {
      const std::vector<std::byte> bytes(2048, static_cast<std::byte>(part));
      writer.write(0, part * 2048, bytes);
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.commit();
  const GgufFile file(path);
  const std::vector<std::byte> bytes = bytes_of(file, 0);
  for (size_t i = 0; i < bytes.size(); ++i)
    ASSERT_EQ(std::to_integer<size_t>(bytes[i]), i / 2048) << i;
}

TEST(GgufWriter, RowsThatAreNoWholeBlocksAreRefusedAndLeaveNothing) {
  const test::TemporaryFolder folder;
  std::string message;
  try {
    GgufWriter(folder.path() + "/out.gguf", {}, {{"odd.weight", GgmlType::q8_0, {48, 2}}});
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_THAT(message, testing::HasSubstr("tensor 'odd.weight': expected rows of a multiple of 32 "
                                          "elements for Q8_0, got 48"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace colonnade
