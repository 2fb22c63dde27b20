#include "colonnade/io/safetensors_index.h"

#include <string>

#include "tests/support/gguf_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SafetensorsIndex read(const std::string& text) {
  const test::TemporaryFolder folder;
  return read_safetensors_index(File(folder.write("i.json", text)));
}

std::string error(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SafetensorsIndex, SaysWhichFileHoldsWhichTensor) {
  const SafetensorsIndex index = read(R"({"metadata": {"total_size": 7}, "weight_map": {
      "b": "m-2.safetensors", "c": "m-1.safetensors", "a": "m-1.safetensors"}})");
  ASSERT_EQ(index.places.size(), 3U);
  EXPECT_EQ(index.places[0].tensor, "a");
  EXPECT_EQ(index.places[1].tensor, "b");
  EXPECT_EQ(index.places[1].file, "m-2.safetensors");
  EXPECT_THAT(index.files, ElementsAre("m-1.safetensors", "m-2.safetensors"));
}

TEST(SafetensorsIndex, ABadFieldIsNamed) {
  const std::string in_map = "weight_map: 'a': expected the name of a safetensors file in the same";
  EXPECT_THAT(error(""), HasSubstr("i.json: expected JSON"));
  EXPECT_THAT(error("[]"), HasSubstr("expected an object with the field 'weight_map'"));
  EXPECT_THAT(error("{}"), HasSubstr("field 'weight_map' is missing"));
  EXPECT_THAT(error(R"({"weight_map": []})"), HasSubstr("weight_map: expected an object"));
  EXPECT_THAT(error(R"({"weight_map": {}})"), HasSubstr("weight_map: expected tensors, got none"));
  EXPECT_THAT(error(R"({"weight_map": {"a": 1}})"), HasSubstr("'a': expected the name of a file"));
  EXPECT_THAT(error(R"({"weight_map": {"a": "../m.safetensors"}})"), HasSubstr(in_map));
  EXPECT_THAT(error(R"({"weight_map": {"a": "/m.safetensors"}})"), HasSubstr(in_map));
  EXPECT_THAT(error(R"({"weight_map": {"a": "m.bin"}})"), HasSubstr("got 'm.bin'"));
  EXPECT_THAT(error(R"({"weight_map": {"a": "\u0000.safetensors"}})"), HasSubstr(in_map));
  EXPECT_THAT(error(R"({"weight_map": {"a": "m.safetensors", "a": "m.safetensors"}})"),
              HasSubstr("field 'a' stands twice"));
  EXPECT_THAT(error("<html>"), HasSubstr("web page"));
}

TEST(SafetensorsIndex, EveryPrefixIsRejected) {
  const std::string whole = R"({"weight_map": {"a": "m.safetensors"}})";
  ASSERT_EQ(error(whole), "accepted");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(error(whole.substr(0, size)), HasSubstr("i.json: ")) << size;
  }
}

}  // namespace
}  // namespace colonnade
