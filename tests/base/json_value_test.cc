#include "colonnade/base/json_value.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

const nlohmann::json kJson = nlohmann::json::parse(R"({
  "small": -3, "large": 18446744073709551615, "real": 0.25, "wide": 1e300, "text": "\u0007", "null": null,
  "list": [1, "two", [3]], "object": {"inner": {"deep": true}}})");

std::string refusal(const std::function<void(const JsonValue&)>& read) {
  try {
    read(JsonValue(kJson, "a.json"));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(JsonValue, ReadsWhatItShouldBe) {
  const JsonValue all(kJson, "a.json");
  EXPECT_EQ(all.field("small").integer(-3, 5), -3);
  EXPECT_EQ(all.field("large").unsigned_integer(), UINT64_MAX);
  EXPECT_EQ(all.field("real").real(), 0.25F);
  EXPECT_EQ(all.field("small").real(), -3.0F);
  EXPECT_EQ(all.field("text").text(), "\a");
  EXPECT_EQ(all.field("list").size(), 3U);
  EXPECT_EQ(all.field("list").at(2).at(0).integer(0, 9), 3);
  EXPECT_EQ(all.field("small").integer(), -3);
  EXPECT_EQ(all.field("wide").number(), 1e300);
  EXPECT_TRUE(all.field("object").field("inner").field("deep").flag());
  EXPECT_EQ(all.field("object").names(), std::vector<std::string>{"inner"});
  all.field("object").check_fields({"inner"});
}

TEST(JsonValue, SaysWhatItIs) {
  const JsonValue all(kJson, "a.json");
  EXPECT_TRUE(all.is_object());
  EXPECT_TRUE(all.field("list").is_list());
  EXPECT_TRUE(all.field("text").is_text());
  EXPECT_TRUE(all.field("real").is_number());
  EXPECT_TRUE(all.field("object").field("inner").field("deep").is_flag());
  EXPECT_FALSE(all.is_list() || all.is_text() || all.is_number() || all.is_flag());
  EXPECT_FALSE(all.field("list").is_object());
  EXPECT_TRUE(all.has("small"));
  EXPECT_FALSE(all.has("none"));
  EXPECT_FALSE(all.has("null"));
  EXPECT_EQ(all.field("object").place_of("none"), "a.json: object.none");
  EXPECT_EQ(all.place_of("none"), "a.json: none");
}

TEST(JsonValue, NamesThePlaceOfWhatItShouldNotBe) {
  const std::pair<std::function<void(const JsonValue&)>, std::string> kCases[] = {
      {[](const JsonValue& v) { v.field("none"); }, "a.json: field 'none' is missing"},
      {[](const JsonValue& v) { v.field("list").field("x"); },
       "a.json: list: expected an object, got a list of 3"},
      {[](const JsonValue& v) { v.field("small").integer(0, 5); },
       "a.json: small: expected an integer from 0 to 5, got -3"},
      {[](const JsonValue& v) { v.field("large").integer(INT64_MIN, INT64_MAX); },
       "a.json: large: expected an integer from -9223372036854775808 to 9223372036854775807, got "
       "18446744073709551615"},
      {[](const JsonValue& v) { v.field("real").integer(0, 5); },
       "a.json: real: expected an integer from 0 to 5, got 0.25"},
      {[](const JsonValue& v) { v.field("small").unsigned_integer(); },
       "a.json: small: expected an integer from 0 to 2^64 - 1, got -3"},
      {[](const JsonValue& v) { v.field("wide").real(); },
       "a.json: wide: expected a number that 32 bits can hold, got 1e+300"},
      {[](const JsonValue& v) { v.field("text").real(); },
       "a.json: text: expected a number that 32 bits can hold, got '\\x07'"},
      {[](const JsonValue& v) { v.field("large").integer(); },
       "a.json: large: expected an integer of 64 bits, got 18446744073709551615"},
      {[](const JsonValue& v) { v.field("text").number(); },
       "a.json: text: expected a number, got '\\x07'"},
      {[](const JsonValue& v) { v.field("small").flag(); },
       "a.json: small: expected true or false, got -3"},
      {[](const JsonValue& v) { v.field("list").names(); },
       "a.json: list: expected an object, got a list of 3"},
      {[](const JsonValue& v) { v.field("list").has("x"); },
       "a.json: list: expected an object, got a list of 3"},
      {[](const JsonValue& v) { v.field("list").at(1).integer(0, 5); },
       "a.json: list[1]: expected an integer from 0 to 5, got 'two'"},
      {[](const JsonValue& v) { v.field("object").size(); },
       "a.json: object: expected a list, got an object"},
      {[](const JsonValue& v) { v.field("object").field("inner").field("deep").text(); },
       "a.json: object.inner.deep: expected a text, got true"},
      {[](const JsonValue& v) {
         v.field("object").check_fields({"inner", "outer"});
       },
       "a.json: object: field 'outer' is missing"},
      {[](const JsonValue& v) { v.field("object").check_fields({}); },
       "a.json: object: unknown field 'inner'"},
      {[](const JsonValue& v) { v.field("list").at(0).check_fields({}); },
       "a.json: list[0]: expected an object, got 1"}};
  for (const auto& [read, message] : kCases) EXPECT_EQ(refusal(read), message);
}

}  // namespace
}  // namespace colonnade
