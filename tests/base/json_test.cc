#include "colonnade/base/json.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(std::string_view text) {
  try {
    parse_json(text, "a.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Json, WhatIsJsonIsRead) {
  const nlohmann::json value = parse_json(R"({"a": [1, {"b": "c"}], "b": {"a": null}})", "a.json");
  EXPECT_EQ(value["a"][1]["b"], "c");
}

TEST(Json, WhatIsNoneIsNamedWithItsPlace) {
  for (const std::string_view text :
       {"", "{", "{:", "[1,]", "nul", "\"\xff\"", R"("\ud800")", "1 2", "<!DOCTYPE html>"})
    EXPECT_THAT(refusal(text), StartsWith("a.json: expected JSON, but line 1, byte ")) << text;
  EXPECT_THAT(refusal("[\n1,\n?]"), HasSubstr("line 3, byte 6"));
}

TEST(Json, NestingIsBoundedBeforeAnythingIsBuilt) {
  EXPECT_EQ(refusal(std::string(kMostJsonDepth, '[') + std::string(kMostJsonDepth, ']')), "");
  EXPECT_THAT(refusal(std::string(100'000, '[')), HasSubstr("at most 64 levels"));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += R"({"a":)";
  EXPECT_THAT(refusal(objects), HasSubstr("at most 64 levels"));
}

TEST(Json, AKeyMayStandInTwoObjectsButNotTwiceInOne) {
  EXPECT_EQ(refusal(R"({"a": {"a": 1}, "b": {"a": 2}})"), "");
  EXPECT_THAT(refusal(R"({"a": {"b": 1, "c": 2, "b": 3}})"), HasSubstr("'b' stands twice"));
}

TEST(Json, NumbersWithoutARepresentationAreRefused) {
  EXPECT_THAT(refusal("[1e999]"), StartsWith("a.json: "));
}

}  // namespace
}  // namespace colonnade
