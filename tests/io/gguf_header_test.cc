#include "colonnade/io/gguf_header.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/io/header_fixture.h"
#include "tests/support/environment.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/heap_meter.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using test::gguf_string;
using test::GgufBuilder;
using test::le;
using ::testing::HasSubstr;

constexpr uint32_t kF32 = 0;
constexpr uint32_t kQ4_0 = 2;

class GgufHeaderTest : public test::HeaderFixture<GgufHeader> {
 protected:
  GgufHeaderTest() : HeaderFixture("model.gguf", read_gguf_header) {}
};

/// A header that promises `tensors` and `entries`, followed by `rest`.
std::string header(uint64_t tensors, uint64_t entries, const std::string& rest = {}) {
  return "GGUF" + le<uint32_t>(3) + le(tensors) + le(entries) + rest;
}

std::string entry(std::string_view key, uint32_t type, const std::string& value) {
  return gguf_string(key) + le(type) + value;
}

/// One of everything that the format has.
GgufBuilder full_file() {
  GgufBuilder builder;
  builder.add_string("general.architecture", "llama")
      .add_u32("general.alignment", 64)
      .add_f32("a.f32", 1.5F)
      .add_bool("a.bool", true)
      .add("a.u8", 0, le<uint8_t>(200))
      .add("a.i8", 1, le<int8_t>(-3))
      .add("a.u16", 2, le<uint16_t>(60000))
      .add("a.i16", 3, le<int16_t>(-300))
      .add("a.i32", 5, le<int32_t>(-70000))
      .add("a.u64", 10, le<uint64_t>(1))
      .add("a.i64", 11, le<int64_t>(-5000000000))
      .add("a.f64", 12, le<double>(0.1))
      .add_strings("a.strings", {"one", "", "three"})
      .add("a.i32s", 9, le<uint32_t>(5) + le<uint64_t>(2) + le<int32_t>(7) + le<int32_t>(-7))
      .add("a.nested", 9,
           le<uint32_t>(9) + le<uint64_t>(1) + le<uint32_t>(0) + le<uint64_t>(2) +
               std::string("xy"));
  builder.alignment = 64;
  builder.add_tensor("norm", {4}, kF32, std::string(16, 'n'));
  builder.add_tensor("weight", {64, 3}, kQ4_0, std::string(3 * 2 * 18, 'w'));
  return builder;
}

TEST_F(GgufHeaderTest, ReadsEveryValueTypeAndTheTensorsPlaces) {
  const GgufHeader header = read(full_file().bytes());
  EXPECT_EQ(header.version, 3U);
  EXPECT_EQ(header.alignment, 64);
  const GgufMetadata& metadata = header.metadata;
  EXPECT_EQ(metadata.text("general.architecture"), "llama");
  EXPECT_EQ(metadata.number("a.f32"), 1.5);
  EXPECT_TRUE(metadata.flag_or("a.bool", false));
  EXPECT_EQ(metadata.integer("a.u8"), 200);
  EXPECT_EQ(metadata.integer("a.i8"), -3);
  EXPECT_EQ(metadata.integer("a.u16"), 60000);
  EXPECT_EQ(metadata.integer("a.i16"), -300);
  EXPECT_EQ(metadata.integer("a.i32"), -70000);
  EXPECT_EQ(metadata.integer("a.u64"), 1);
  EXPECT_EQ(metadata.integer("a.i64"), -5000000000);
  EXPECT_EQ(metadata.number("a.f64"), 0.1);
  EXPECT_EQ(metadata.strings("a.strings")[2], "three");
  EXPECT_EQ(metadata.integers("a.i32s"), (std::vector<int64_t>{7, -7}));
  EXPECT_EQ(metadata.entries().size(), 15U);

  ASSERT_EQ(header.tensors.size(), 2U);
  const GgufTensor& weight = header.tensors[1];
  EXPECT_EQ(weight.name, "weight");
  EXPECT_EQ(weight.type, GgmlType::q4_0);
  EXPECT_EQ(weight.dim_count, 2);
  EXPECT_EQ(weight.cols(), 64);
  EXPECT_EQ(weight.rows(), 3);
  EXPECT_EQ(weight.size_bytes, 108);
  EXPECT_EQ(weight.row_bytes(), 36);
  EXPECT_EQ(header.tensors[0].offset % 64, 0);
  EXPECT_EQ(weight.offset, header.tensors[0].offset + 64);
}

TEST_F(GgufHeaderTest, VersionTwoIsReadLikeThree) {
  GgufBuilder builder = full_file();
  builder.version = 2;
  EXPECT_EQ(read(builder.bytes()).version, 2U);
}

TEST_F(GgufHeaderTest, AFileWithoutTensorsIsLegal) {
  EXPECT_TRUE(read(header(0, 1, entry("a.b", 0, "x"))).tensors.empty());
}

TEST_F(GgufHeaderTest, EveryPrefixOfAValidFileIsRejected) {
  const std::string whole = full_file().bytes();
  ASSERT_EQ(error(whole), "accepted");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(error(whole.substr(0, size)), HasSubstr("model.gguf: ")) << size << " bytes";
  }
}

TEST_F(GgufHeaderTest, ABadFieldIsNamedWithItsValueAndOffset) {
  const uint64_t huge = uint64_t{1} << 63;
  const std::vector<Case> cases = {
      {"", {"magic", "the file is empty"}},
      {"GGML" + std::string(20, '\0'), {"magic", "'GGML'", "offset 0"}},
      {"version https://git-lfs.github.com/spec/v1\n", {"Git LFS pointer"}},
      {"<!DOCTYPE html><html>", {"web page"}},
      {"GGUF" + le<uint32_t>(1) + std::string(16, '\0'), {"version", "got 1 ", "offset 4"}},
      {"GGUF" + le<uint32_t>(4) + std::string(16, '\0'), {"version", "got 4 ", "offset 4"}},
      {"GGUF" + le<uint32_t>(3U << 24) + std::string(16, '\0'), {"version", "big-endian"}},
      {header(huge, 0), {"n_tensors", "got 9223372036854775808", "offset 8"}},
      {header(0, huge), {"n_kv", "got 9223372036854775808", "offset 16"}},
      {header(0, 1, le(uint64_t{1} << 40) + std::string(40, 'k')),
       {"key length", "got 1099511627776", "offset 24"}},
      {header(0, 1, le<uint64_t>(0) + std::string(40, 'k')), {"key length", "got 0", "offset 24"}},
      {header(0, 1, entry("a.b", 13, "xxxxxxxx")), {"'a.b'", "value type", "got 13", "offset 35"}},
      {header(0, 1, entry("a.b", 7, "\x02")), {"'a.b'", "bool", "got 2", "offset 39"}},
      {header(0, 1, entry("a.b", 8, le(uint64_t{1} << 40) + "x")),
       {"'a.b'", "string length", "got 1099511627776", "offset 39"}},
      {header(0, 1, entry("a.b", 9, le<uint32_t>(99) + le<uint64_t>(0))),
       {"array type", "got 99", "offset 39"}},
      {header(0, 1, entry("a.b", 9, le<uint32_t>(0) + le(huge))),
       {"array length", "got 9223372036854775808", "offset 43"}},
      {header(0, 1, entry("a.b", 9, le<uint32_t>(8) + le(huge))),
       {"array length", "got 9223372036854775808"}},
      {header(0, 1, entry("a.b", 9, le<uint32_t>(9) + le(huge))),
       {"array length", "got 9223372036854775808"}},
      {header(0, 1, entry("a.b", 9, le<uint32_t>(8) + le<uint64_t>(1) + le(uint64_t{1} << 40))),
       {"string length", "got 1099511627776", "offset 51"}},
      {header(0, 1, entry("a.b", 9, le<uint32_t>(7) + le<uint64_t>(3) + std::string("\1\0\3", 3))),
       {"bool", "got 3", "offset 53"}},
      {header(0, 1, entry("general.alignment", 4, le<uint32_t>(48))),
       {"general.alignment", "got 48", "offset 24"}},
      {header(0, 1, entry("general.alignment", 4, le<uint32_t>(0))),
       {"general.alignment", "got 0"}},
      {header(0, 1, entry("general.alignment", 4, le<uint32_t>(1 << 21))),
       {"general.alignment", "got 2097152"}},
      {header(0, 1, entry("general.alignment", 8, gguf_string("32"))),
       {"general.alignment", "expected an integer"}},
      {header(0, 2, entry("a.b", 0, "x") + entry("a.b", 0, "y")),
       {"'a.b'", "comes twice", "offset 24", "offset 40"}},
  };
  expect_words(cases);
}

TEST_F(GgufHeaderTest, ABadTensorIsNamedWithTheFieldAndItsValue) {
  const std::string data(64, 'd');
  const uint64_t most = ~uint64_t{0};
  const auto one = [&](const std::vector<uint64_t>& dims, uint32_t type) {
    return GgufBuilder().add_tensor("w", dims, type, data).bytes();
  };
  const auto named = [&](const std::string& name_field) {
    return header(
        1, 0,
        name_field + le<uint32_t>(1) + le<uint64_t>(4) + le<uint32_t>(0) + le<uint64_t>(0) + data);
  };
  const auto dims_count = [&](uint32_t count) {
    return header(1, 0, gguf_string("w") + le(count) + std::string(200, '\1'));
  };
  const std::vector<Case> cases = {
      {named(le(uint64_t{1} << 40)), {"tensor 0", "name length", "got 1099511627776", "offset 24"}},
      {named(le<uint64_t>(0)), {"tensor 0", "name length", "got 0", "offset 24"}},
      {dims_count(0), {"tensor 'w'", "n_dims", "got 0", "offset 33"}},
      {dims_count(5), {"tensor 'w'", "n_dims", "got 5", "offset 33"}},
      {dims_count(~0U), {"tensor 'w'", "n_dims", "got 4294967295", "offset 33"}},
      {one({0, 4}, kF32), {"tensor 'w'", "dims", "got 0", "offset 37"}},
      {one({most, 2}, kF32), {"tensor 'w'", "dims", "18446744073709551615", "offset 37"}},
      {one({4, most}, kF32), {"tensor 'w'", "dims", "18446744073709551615", "offset 45"}},
      {one({1ULL << 32, 1ULL << 32}, kF32), {"dims", "4294967296 after 4294967296", "offset 45"}},
      {one({1ULL << 32, 1ULL << 30}, kF32),
       {"'w'", "type", "4611686018427387904 blocks of 4 bytes"}},
      {one({4}, 9999), {"tensor 'w'", "type", "9999", "F32, F16, Q4_0", "offset 45"}},
      {one({4}, 4), {"tensor 'w'", "type", "unknown number 4"}},
      {one({256}, 16), {"tensor 'w'", "type", "IQ2_XXS (16)", "not supported yet", "Q4_K"}},
      {one({48}, kQ4_0), {"tensor 'w'", "type", "multiple of 32", "got 48"}},
      {one({16}, kF32) + "x", {"accepted"}},
  };
  expect_words(cases);
}

TEST_F(GgufHeaderTest, ATensorThatLeavesTheFileOrMeetsAnotherIsNamed) {
  const std::string data(64, 'd');
  const uint64_t most = ~uint64_t{0};
  const std::vector<Case> cases = {
      {GgufBuilder().add_tensor_entry("w", {4}, kF32, 8).bytes() + data,
       {"'w'", "offset", "alignment 32", "got 8"}},
      {GgufBuilder().add_tensor_entry("w", {4}, kF32, most - 31).bytes() + data,
       {"'w'", "offset", "got 18446744073709551584"}},
      {GgufBuilder().add_tensor_entry("w", {16}, kF32, 32).bytes() + std::string(70, 'd'),
       {"'w'", "64 bytes at offset 96", "cut short"}},
      {GgufBuilder().add_tensor("w", {4}, kF32, data).add_tensor("w", {4}, kF32, data).bytes(),
       {"'w'", "name", "comes twice"}},
      {GgufBuilder().add_tensor("v", {16}, kF32, data).add_tensor_entry("w", {4}, kF32, 32).bytes(),
       {"'w'", "overlap", "'v'"}},
      {GgufBuilder().add_tensor("v", {4}, kF32, data).add_tensor_entry("w", {4}, kF32, 0).bytes(),
       {"overlap"}},
  };
  expect_words(cases);
}

TEST_F(GgufHeaderTest, ArraysNestUpToFourDeep) {
  const auto nested = [](int depth) {
    std::string value;
    for (int i = 1; i < depth; ++i) value += le<uint32_t>(9) + le<uint64_t>(1);
    return header(0, 1, entry("a.b", 9, value + le<uint32_t>(0) + le<uint64_t>(1) + "x"));
  };
  EXPECT_EQ(error(nested(4)), "accepted");
  EXPECT_THAT(error(nested(5)), HasSubstr("nested at most 4 deep"));
  EXPECT_THAT(error(nested(10000)), HasSubstr("nested at most 4 deep"));
}

TEST_F(GgufHeaderTest, AnUnknownNameInAMessageCannotHarmATerminal) {
  EXPECT_THAT(error(GgufBuilder().add_tensor("\x1b[2J", {4}, 9999, "").bytes()),
              HasSubstr("'\\x1b[2J'"));
}

/// Peak of heap while the header is read, including the error and its message.
int64_t peak_bytes(const std::string& path) {
  const File file(path);
  const test::HeapMeter meter;
  try {
    read_gguf_header(file);
  } catch (const Error&) {
    return meter.peak_bytes();
  }
  return meter.peak_bytes();
}

TEST_F(GgufHeaderTest, NoClaimOfASmallFileMakesItTakeMemory) {
  // The message and its stream take about 2 KiB whatever the file is.
  constexpr int64_t kMessageBytes = 4096;
  const uint64_t huge = uint64_t{1} << 63;
  const std::string files[] = {
      header(huge, 0),
      header(0, huge),
      header(2, 6),
      header(0, 1, le(uint64_t{1} << 40)),
      header(0, 1, entry("a.b", 8, le(uint64_t{1} << 40))),
      header(0, 1, entry("a.b", 9, le<uint32_t>(8) + le(huge))),
      header(0, 1, entry("a.b", 9, le<uint32_t>(11) + le(uint64_t{1} << 60))),
      header(0, 1, entry("a.b", 9, le<uint32_t>(9) + le(uint64_t{1} << 60))),
      GgufBuilder().add_tensor_entry("w", {~uint64_t{0}, 2}, 0, 0).bytes(),
  };
  for (const std::string& bytes : files) {
    ASSERT_LE(bytes.size(), 200U);
    EXPECT_LE(peak_bytes(folder_.write("small.gguf", bytes)),
              static_cast<int64_t>(bytes.size()) + kMessageBytes);
  }
}

TEST_F(GgufHeaderTest, TheMemoryOfALongArrayIsItsBytesInTheFile) {
  const std::vector<std::string> tokens(20000, "forty bytes, more or less, of one token");
  const std::string bytes =
      GgufBuilder()
          .add_strings("tokens", tokens)
          .add("n", 9, le<uint32_t>(0) + le<uint64_t>(100000) + std::string(100000, 'n'))
          .bytes();
  constexpr int64_t kWindowBytes = 64 << 10;
  EXPECT_LE(peak_bytes(folder_.write("long.gguf", bytes)),
            static_cast<int64_t>(bytes.size()) + kWindowBytes + 4096);
}

TEST_F(GgufHeaderTest, AHeaderOfMoreThan100MegabytesIsRefusedBeforeItTakesMemory) {
  const std::string array = le<uint32_t>(0) + le<uint64_t>(150'000'000);
  const std::string path = folder_.write("model.gguf", header(0, 1, entry("a", 9, array)));
  std::filesystem::resize_file(path, 300'000'000);  // a hole: it takes no disk
  const File file(path);
  const test::HeapMeter meter;
  try {
    read_gguf_header(file);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a header has at most 100000000 bytes), got 150000000"));
  }
  EXPECT_LT(meter.peak_bytes(), 1 << 20);
}

TEST_F(GgufHeaderTest, TheHeaderOfARealModelIsReadInTwoPassesAtMost) {
  const std::string path = test::cached_model("qwen2.5-coder-0.5b");
  if (path.empty()) GTEST_SKIP() << "fetch it with tools/get_model qwen2.5-coder-0.5b";
  const File file(path);
  const GgufHeader header = read_gguf_header(file);
  EXPECT_EQ(header.metadata.strings("tokenizer.ggml.tokens").size(), 151936);
  EXPECT_EQ(header.tensors.size(), 291U);
  const int64_t data_begin = std::ranges::min(header.tensors, {}, &GgufTensor::offset).offset;
  EXPECT_LE(file.bytes_read(), 2 * data_begin + (1 << 20));
}

}  // namespace
}  // namespace colonnade
