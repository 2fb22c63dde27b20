#include "colonnade/io/gguf_metadata.h"

#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using ::testing::HasSubstr;

template <typename T>
std::shared_ptr<const GgufArray> array_of(GgufValueType type, const std::vector<T>& values) {
  GgufArray array{type,
                  static_cast<int64_t>(values.size()),
                  std::vector<std::byte>(values.size() * sizeof(T)),
                  {}};
  std::memcpy(array.numbers.data(), values.data(), array.numbers.size());
  return std::make_shared<const GgufArray>(std::move(array));
}

GgufMetadata sample() {
  const GgufArray words{GgufValueType::string, 2, {}, StringArray("abc", {1, 3})};
  std::vector<GgufEntry> entries;
  const auto add = [&](const char* key, GgufValue value) {
    entries.push_back({key, std::move(value), 24});
  };
  add("layers", {GgufValueType::u32, uint64_t{30}});
  add("bias", {GgufValueType::i32, int64_t{-4}});
  add("huge", {GgufValueType::u64, std::numeric_limits<uint64_t>::max()});
  add("theta", {GgufValueType::f32, 1.25});
  add("flag", {GgufValueType::boolean, true});
  add("name", {GgufValueType::string, std::string("smol")});
  add("words", {GgufValueType::array, std::make_shared<const GgufArray>(words)});
  add("types", {GgufValueType::array, array_of<int32_t>(GgufValueType::i32, {1, -1, 3})});
  add("bytes", {GgufValueType::array, array_of<uint8_t>(GgufValueType::u8, {200, 1})});
  add("scores", {GgufValueType::array, array_of<float>(GgufValueType::f32, {0.5F, -2.0F})});
  add("wide",
      {GgufValueType::array, array_of<uint64_t>(GgufValueType::u64, {1, uint64_t{1} << 63})});
  return {"m.gguf", std::move(entries)};
}

template <typename Function>
std::string error_of(Function&& function) {
  try {
    function(sample());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(GgufMetadata, GivesValuesByTypeAndFallbacksForMissingKeys) {
  const GgufMetadata metadata = sample();
  EXPECT_EQ(metadata.integer("layers"), 30);
  EXPECT_EQ(metadata.integer("bias"), -4);
  EXPECT_EQ(metadata.integer_or("absent", 7), 7);
  EXPECT_EQ(metadata.integer_or("layers", 7), 30);
  EXPECT_EQ(metadata.number("theta"), 1.25);
  EXPECT_EQ(metadata.number("layers"), 30.0);
  EXPECT_EQ(metadata.number_or("absent", 0.5), 0.5);
  EXPECT_TRUE(metadata.flag_or("flag", false));
  EXPECT_TRUE(metadata.flag_or("absent", true));
  EXPECT_EQ(metadata.text("name"), "smol");
  EXPECT_EQ(metadata.text_or("absent", "x"), "x");
  EXPECT_EQ(metadata.strings("words")[0], "a");
  EXPECT_EQ(metadata.strings("words")[1], "bc");
  EXPECT_EQ(metadata.integers("types"), (std::vector<int64_t>{1, -1, 3}));
  EXPECT_EQ(metadata.integers("bytes"), (std::vector<int64_t>{200, 1}));
  EXPECT_EQ(metadata.numbers("scores"), (std::vector<float>{0.5F, -2.0F}));
  EXPECT_EQ(metadata.numbers("types"), (std::vector<float>{1.0F, -1.0F, 3.0F}));
  EXPECT_TRUE(metadata.has("name"));
  EXPECT_FALSE(metadata.has("nam"));
  EXPECT_EQ(metadata.entries()[3].key, "theta");
}

TEST(GgufMetadata, AMissingKeyIsNamedWithTheFile) {
  EXPECT_THAT(
      error_of([](const auto& m) { m.integer("absent"); }),
      HasSubstr(
          "m.gguf: metadata key 'absent': expected an integer, but the file has no such key"));
  EXPECT_THAT(error_of([](const auto& m) { m.strings("absent"); }),
              HasSubstr("expected an array of strings"));
}

TEST(GgufMetadata, AValueOfAnotherTypeIsRefused) {
  EXPECT_THAT(error_of([](const auto& m) { m.integer("name"); }),
              HasSubstr("'name': expected an integer, got a value of type string"));
  EXPECT_THAT(error_of([](const auto& m) { m.integer_or("theta", 1); }),
              HasSubstr("expected an integer"));
  EXPECT_THAT(error_of([](const auto& m) { m.number("flag"); }), HasSubstr("expected a number"));
  EXPECT_THAT(error_of([](const auto& m) { m.text("layers"); }), HasSubstr("expected a string"));
  EXPECT_THAT(error_of([](const auto& m) { m.flag_or("layers", true); }),
              HasSubstr("expected a bool"));
  EXPECT_THAT(error_of([](const auto& m) { m.strings("types"); }),
              HasSubstr("got an array of i32"));
  EXPECT_THAT(error_of([](const auto& m) { m.strings("name"); }),
              HasSubstr("expected an array of strings"));
  EXPECT_THAT(error_of([](const auto& m) { m.integers("scores"); }),
              HasSubstr("got an array of f32"));
  EXPECT_THAT(error_of([](const auto& m) { m.numbers("words"); }),
              HasSubstr("got an array of string"));
}

TEST(GgufMetadata, AnIntegerThatDoesNotFitIsRefused) {
  EXPECT_THAT(error_of([](const auto& m) { m.integer("huge"); }),
              HasSubstr("got 18446744073709551615"));
  EXPECT_THAT(error_of([](const auto& m) { m.integers("wide"); }), HasSubstr("element 1"));
}

TEST(GgufMetadata, AKeyThatComesTwiceIsRefusedWithBothOffsets) {
  std::vector<GgufEntry> entries(2, {"a.b", {GgufValueType::u8, uint64_t{1}}, 24});
  entries[1].offset = 99;
  try {
    GgufMetadata("m.gguf", entries);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "m.gguf: metadata key 'a.b': comes twice, at offset 24 and at offset 99");
  }
}

}  // namespace
}  // namespace colonnade
