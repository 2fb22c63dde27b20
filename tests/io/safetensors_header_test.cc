#include "colonnade/io/safetensors_header.h"

#include <filesystem>
#include <string>
#include <vector>

#include "tests/io/header_fixture.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/heap_meter.h"
#include "tests/support/safetensors_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using test::le;
using test::safetensors_entry;
using test::safetensors_file;
using test::SafetensorsBuilder;
using ::testing::HasSubstr;

class SafetensorsHeaderTest : public test::HeaderFixture<SafetensorsHeader> {
 protected:
  SafetensorsHeaderTest() : HeaderFixture("m.safetensors", read_safetensors_header) {}
};

/// The only tensor of a file of four bytes, with one of its fields as given.
std::string with_field(const std::string& name, const std::string& value) {
  const std::pair<std::string, std::string> fields[] = {
      {"dtype", "\"F32\""}, {"shape", "[1]"}, {"data_offsets", "[0,4]"}};
  std::string entry;
  for (const auto& [field, right] : fields) {
    const std::string& chosen = field == name ? value : right;
    if (!chosen.empty()) entry += (entry.empty() ? "\"" : ",\"") + field + "\":" + chosen;
  }
  return safetensors_file("{\"w\":{" + entry + "}}", "data");
}

std::string two(const std::string& first, const std::string& second, size_t data_bytes) {
  return safetensors_file("{" + first + "," + second + "}", std::string(data_bytes, 'x'));
}

TEST_F(SafetensorsHeaderTest, TensorsComeInTheOrderOfTheirData) {
  const SafetensorsHeader header =
      read(safetensors_file("{\"__metadata__\":{\"format\":\"pt\",\"b\":\"\"}," +
                                safetensors_entry("late", "F16", {2, 3}, 8, 20) + "," +
                                safetensors_entry("none", "F32", {0, 4}, 8, 8) + "," +
                                safetensors_entry("early", "I64", {}, 0, 8) + "}  ",
                            std::string(20, 'x')));
  ASSERT_EQ(header.tensors.size(), 3U);
  const SafetensorsTensor& early = header.tensors[0];
  const SafetensorsTensor& late = header.tensors[2];
  EXPECT_EQ(early.name, "early");
  EXPECT_EQ(early.rows() * early.cols(), 1);
  EXPECT_EQ(early.description(), "[] I64");
  EXPECT_EQ(header.tensors[1].description(), "[0, 4] F32");
  EXPECT_EQ(header.tensors[1].rows(), 0);
  EXPECT_EQ(late.description(), "[2, 3] F16");
  EXPECT_EQ(late.rows(), 2);
  EXPECT_EQ(late.cols(), 3);
  EXPECT_EQ(late.size_bytes, 12);
  EXPECT_EQ(late.offset, early.offset + 8);
  EXPECT_EQ(header.metadata.at("format"), "pt");
  EXPECT_EQ(header.metadata.size(), 2U);
}

TEST_F(SafetensorsHeaderTest, OfManyDimensionsTheOuterOnesAreRows) {
  const SafetensorsHeader header =
      read(SafetensorsBuilder().add("w", "U8", {2, 3, 5, 4}, std::string(120, 'x')).bytes());
  EXPECT_EQ(header.tensors.front().rows(), 30);
  EXPECT_EQ(header.tensors.front().cols(), 4);
}

TEST_F(SafetensorsHeaderTest, AFileWithoutTensorsIsValid) {
  EXPECT_EQ(error(safetensors_file("{}")), "accepted");
  EXPECT_EQ(error(safetensors_file("{\"__metadata__\":{}}")), "accepted");
}

TEST_F(SafetensorsHeaderTest, EveryPrefixOfAValidFileIsRejected) {
  const std::string whole = SafetensorsBuilder()
                                .add("norm.weight", "BF16", {6}, std::string(12, 'n'))
                                .add("w", "F32", {2, 2}, std::string(16, 'w'))
                                .bytes();
  ASSERT_EQ(error(whole), "accepted");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(error(whole.substr(0, size)), HasSubstr("m.safetensors: ")) << size << " bytes";
  }
}

TEST_F(SafetensorsHeaderTest, WhatIsNoSafetensorsFileIsNamedByWhatItIs) {
  expect_words({
      {"", {"the file is empty"}},
      {"1234567", {"header length", "expected 8 bytes", "has 7 bytes"}},
      {le(uint64_t{1} << 63) + "{}", {"header length", "at most 100000000", "9223372036854775808"}},
      {le(uint64_t{100'000'001}) + "{}", {"at most 100000000 bytes, got 100000001"}},
      {le(uint64_t{17}) + "{}", {"header length", "at most 2 bytes", "got 17", "cut short"}},
      {le(uint64_t{0}), {"header length", "expected a header, got 0 bytes"}},
      {safetensors_file("[]"), {"header: expected a JSON object, got a JSON list"}},
      {safetensors_file(" {}"), {"header: expected a JSON object, got ' {}'"}},
      {"version https://git-lfs.github.com/spec/v1\n", {"Git LFS pointer", "git lfs pull"}},
      {"<!DOCTYPE html><html>", {"web page"}},
      {"PK\x03\x04 and more", {"PyTorch"}},
      {"GGUF and more", {"a GGUF file"}},
  });
}

TEST_F(SafetensorsHeaderTest, AHeaderThatIsNoJsonIsNamedWithTheByte) {
  expect_words({
      {safetensors_file("{"), {"header: expected JSON, but byte 2"}},
      {safetensors_file("{}x"), {"header: expected JSON, but byte 3"}},
      {safetensors_file("{\"a\xff\":1}"), {"header: expected JSON, but byte 4"}},
      {safetensors_file("{\"w\":{\"shape\":[1,]}}"), {"header: expected JSON, but byte 18"}},
  });
}

TEST_F(SafetensorsHeaderTest, ABadFieldIsNamedWithItsValue) {
  const std::string huge = std::to_string(uint64_t{1} << 63);
  const auto field = [](const char* name) { return std::string("tensor 'w': ") + name; };
  const std::string dtype = field("dtype"), shape = field("shape"), offsets = field("data_offsets");
  expect_words({
      {with_field("dtype", ""), {"tensor 'w': field 'dtype' is missing"}},
      {with_field("dtype", "4"), {dtype, "expected a text, got 4"}},
      {with_field("dtype", "[4]"), {dtype, "expected a text, got a list"}},
      {with_field("dtype", "null"), {dtype, "expected a text, got null"}},
      {with_field("dtype", "\"F31\""), {dtype, "expected one of BOOL, F4", "got 'F31'"}},
      {with_field("shape", ""), {"tensor 'w': field 'shape' is missing"}},
      {with_field("shape", "1"), {shape, "expected a list of integers, got 1"}},
      {with_field("shape", "{}"), {shape, "expected a list of integers, got an object"}},
      {with_field("shape", "[-1]"), {shape, "integers from 0 to 2^63 - 1, got -1"}},
      {with_field("shape", "[1.0]"), {shape, "integers from 0 to 2^63 - 1, got 1.0"}},
      {with_field("shape", "[true]"), {shape, "got true"}},
      {with_field("shape", "[[1]]"), {shape, "got a list"}},
      {with_field("shape", "[\"1\"]"), {shape, "got '1'"}},
      {with_field("shape", "[" + huge + "]"), {shape, "got " + huge}},
      {with_field("shape", "[1,1,1,1,1,1,1,1,1]"), {shape, "expected at most 8 dimensions"}},
      {with_field("shape", "[4294967296,4294967296]"), {shape, "2^63 bits", "4294967296"}},
      {with_field("shape", "[2]"), {offsets, "expected 8 bytes for [2] F32, got 4 (0 to 4)"}},
      {with_field("data_offsets", ""), {"tensor 'w': field 'data_offsets' is missing"}},
      {with_field("data_offsets", "[0]"), {offsets, "expected 2 integers, got 1"}},
      {with_field("data_offsets", "[]"), {offsets, "expected 2 integers, got 0"}},
      {with_field("data_offsets", "[0,4,4]"), {offsets, "expected 2 integers, got more"}},
      {with_field("data_offsets", "[4,0]"), {offsets, "expected a begin up to the end", "4 to 0"}},
      {with_field("data_offsets", "[0,\"4\"]"), {offsets, "got '4'"}},
      {with_field("data_offsets", "{\"a\":0}"), {offsets, "got an object"}},
  });
}

TEST_F(SafetensorsHeaderTest, AnEntryThatIsNoneIsNamed) {
  expect_words({
      {safetensors_file("{\"w\":1}"), {"tensor 'w': expected an object with dtype", "got 1"}},
      {safetensors_file("{\"w\":[]}"), {"tensor 'w': expected an object with dtype", "a list"}},
      {safetensors_file("{\"w\":{\"type\":1}}"), {"tensor 'w': expected the fields", "got 'type'"}},
      {safetensors_file("{\"w\":{\"shape\":[],\"shape\":[]}}"), {"tensor 'w': shape: comes twice"}},
      {safetensors_file("{\"w\":{\"dtype\":\"F4\",\"dtype\":\"F4\"}}"), {"dtype: comes twice"}},
      {safetensors_file("{\"__metadata__\":[]}"), {"tensor '__metadata__': expected an object"}},
      {safetensors_file("{\"__metadata__\":{\"a\":1}}"), {"__metadata__: 'a': expected a text"}},
      {safetensors_file("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}"), {"'a': comes twice"}},
      {safetensors_file("{\"__metadata__\":{},\"__metadata__\":{}}"),
       {"__metadata__: comes twice"}},
      {safetensors_file("{" + safetensors_entry("w", "F4", {3}, 0, 1) + "}", "x"),
       {"tensor 'w': shape: expected whole bytes, got 3 elements of 4 bits"}},
  });
}

TEST_F(SafetensorsHeaderTest, DataThatDoesNotFillTheFileInOrderIsNamed) {
  const std::string a = safetensors_entry("a", "F32", {1}, 0, 4);
  expect_words({
      {safetensors_file("{" + safetensors_entry("w", "F32", {1000, 1000}, 0, 4) + "}", "data"),
       {"tensor 'w': data_offsets: expected 4000000 bytes for [1000, 1000] F32, got 4"}},
      {two(a, safetensors_entry("b", "F32", {1}, 2, 6), 6),
       {"tensor 'b': data_offsets", "behind tensor 'a', which ends at 4, got 2", "overlap"}},
      {two(a, safetensors_entry("b", "F32", {1}, 8, 12), 12), {"tensor 'b'", "got 8", "hole"}},
      {two(a, safetensors_entry("b", "F32", {2}, 4, 12), 8),
       {"tensor 'b': data_offsets", "within the 8 bytes", "got 12", "4 bytes are missing"}},
      {safetensors_file("{" + safetensors_entry("w", "F32", {1}, 4, 8) + "}", "datadata"),
       {"tensor 'w': data_offsets: expected data at the beginning at 0, got 4", "hole"}},
      {safetensors_file("{" + a + "}", "data and"), {"expected 4 bytes of data, got 8: 4 bytes"}},
      {two(a, safetensors_entry("a", "F32", {1}, 4, 8), 8), {"tensor 'a': comes twice"}},
  });
  EXPECT_EQ(error(two(safetensors_entry("a", "F32", {2}, 0, 8),
                      safetensors_entry("e", "F32", {0, 4}, 8, 8), 8)),
            "accepted");
}

TEST_F(SafetensorsHeaderTest, DeepNestingIsRefusedWhereItBegins) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(error(safetensors_file("{\"w\":" + deep + "}")),
              HasSubstr("'w': expected an object"));
  EXPECT_THAT(error(with_field("shape", deep)), HasSubstr("shape: expected integers"));
}

TEST_F(SafetensorsHeaderTest, ANameInAMessageCannotHarmATerminal) {
  EXPECT_THAT(error(safetensors_file("{\"\\u001b[2J\":1}")), HasSubstr("'\\x1b[2J'"));
}

TEST_F(SafetensorsHeaderTest, NoClaimOfASmallFileMakesItTakeMemory) {
  // The message and its stream take about 2 KiB whatever the file is.
  constexpr int64_t kMessageBytes = 4096;
  const std::string files[] = {
      le(uint64_t{99'999'999}) + "{}",
      le(uint64_t{1} << 63) + "{}",
      safetensors_file("{" + safetensors_entry("w", "F32", {1 << 30, 1 << 20}, 0, 1L << 52) + "}"),
      safetensors_file("{\"w\":{\"shape\":" + std::string(150, '[')),
      safetensors_file("{\"w\":{\"data_offsets\":[0,1" + std::string(100, '1') + "]}}"),
  };
  for (const std::string& bytes : files) {
    ASSERT_LE(bytes.size(), 200U);
    const File file(folder_.write("m.safetensors", bytes));
    const test::HeapMeter meter;
    EXPECT_THROW(read_safetensors_header(file), Error);
    EXPECT_LT(meter.peak_bytes(), static_cast<int64_t>(bytes.size()) + kMessageBytes);
  }
}

TEST_F(SafetensorsHeaderTest, MemoryIsInProportionToTheHeader) {
  std::string header;
  constexpr int64_t kTensors = 20'000;
  for (int64_t i = 0; i < kTensors; ++i) {
    header += (i == 0 ? "{" : ",") + safetensors_entry(std::to_string(i), "U8", {1}, i, i + 1);
  }
  const File file(
      folder_.write("m.safetensors", safetensors_file(header + "}", std::string(kTensors, 'x'))));
  const test::HeapMeter meter;
  EXPECT_EQ(read_safetensors_header(file).tensors.size(), static_cast<size_t>(kTensors));
  EXPECT_LT(meter.peak_bytes(), 8 * static_cast<int64_t>(header.size()));
}

TEST_F(SafetensorsHeaderTest, OnlyTheHeaderIsRead) {
  const File file(folder_.write(
      "m.safetensors",
      SafetensorsBuilder().add("w", "U8", {1 << 20}, std::string(1 << 20, 'w')).bytes()));
  read_safetensors_header(file);
  EXPECT_LT(file.bytes_read(), 1024);
}

}  // namespace
}  // namespace colonnade
