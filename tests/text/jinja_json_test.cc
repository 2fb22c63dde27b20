#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaJson, WritesWhatPythonsJsonWrites) {
  const char* json =
      R"({"v": {"a": [1, 2.0, null, true], "\u00e9": "q\"\n\u0001\u007f", "e": {}, "l": []}})";
  EXPECT_EQ(
      render("{{ v|tojson }}", json),
      "{\"a\": [1, 2.0, null, true], \"\u00e9\": \"q\\\"\\n\\u0001\x7f\", \"e\": {}, \"l\": []}");
  EXPECT_EQ(render("{{ v.a|tojson(indent=2) }}", json), "[\n  1,\n  2.0,\n  null,\n  true\n]");
  EXPECT_EQ(render("{{ '\u00e9\U0001F44B'|tojson(ensure_ascii=true) }}"),
            "\"\\u00e9\\ud83d\\udc4b\"");
}

TEST(JinjaJson, TheCallersObjectIsTheCallersWholly) {
  EXPECT_EQ(marked("{{ v|tojson(indent=1) }}", R"({"v": {"a": ["b"]}})"),
            "«{\n \"a\": [\n  \"b\"\n ]\n}»");
}

TEST(JinjaJson, InATemplatesObjectOnlyTheCallersPartsAreTheCallers) {
  EXPECT_EQ(marked("{{ {'name': u, 'n': 1}|tojson }}", R"({"u": "x\n"})"),
            "{\"name\": «\"x\\n\"», \"n\": 1}");
}

TEST(JinjaJson, WhatJsonCannotSayIsAnError) {
  EXPECT_NE(error_of("{{ nothing|tojson }}"), "");
  EXPECT_NE(error_of("{{ range(3)|tojson }}"), "");
  EXPECT_NE(error_of("{{ {(1, 2): 3}|tojson }}"), "");
}

}  // namespace
}  // namespace colonnade::text::jinja
