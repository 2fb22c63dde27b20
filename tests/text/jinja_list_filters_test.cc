#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaListFilters, JoiningKeepsTheMarksOfPartsAndSeparator) {
  EXPECT_EQ(marked("{{ [u, 'b', u]|join(', ') }}", R"({"u": "x"})"), "«x», b, «x»");
  EXPECT_EQ(marked("{{ ['a', 'b']|join(u) }}", R"({"u": "x"})"), "a«x»b");
}

TEST(JinjaListFilters, SortingIsStableAndIgnoresCaseUnlessTold) {
  EXPECT_EQ(render("{{ ['b', 'A', 'a', 'B']|sort }}"), "['A', 'a', 'b', 'B']");
  EXPECT_EQ(render("{{ ['b', 'A', 'a', 'B']|sort(case_sensitive=true, reverse=true) }}"),
            "['b', 'a', 'B', 'A']");
  EXPECT_NE(error_of("{{ [1, 'a']|sort }}"), "");
}

TEST(JinjaListFilters, AttributesAreFollowedThroughDots) {
  const char* json = R"({"l": [{"a": {"b": [2]}}, {"a": {"b": [1]}}]})";
  EXPECT_EQ(render("{{ l|sort(attribute='a.b.0')|map(attribute='a.b')|list }}", json),
            "[[1], [2]]");
  EXPECT_EQ(render("{{ l|join('-', attribute='a.b.0') }}{{ l|sum('a.b.0') }}", json), "2-13");
}

TEST(JinjaListFilters, EndsOfEmptyListsAreUndefined) {
  EXPECT_EQ(render("{{ []|first is defined }}{{ []|last is defined }}{{ []|max is defined }}"),
            "FalseFalseFalse");
}

TEST(JinjaListFilters, BatchesAndSlicesFillUp) {
  EXPECT_EQ(render("{{ [1, 2, 3]|batch(2, 0)|list }}{{ [1, 2, 3]|slice(2, 0)|list }}"),
            "[[1, 2], [3, 0]][[1, 2], [3, 0]]");
  EXPECT_NE(error_of("{{ [1]|batch(10000000, 0)|list }}"), "");
}

TEST(JinjaListFilters, LengthsOfTheCallersListsAreTheCallers) {
  EXPECT_EQ(marked("{{ l|length }}{{ [1, 2]|length }}", R"({"l": [1]})"), "«1»2");
}

TEST(JinjaListFilters, GroupsHaveNames) {
  EXPECT_EQ(
      render(
          "{% for g in [{'k': 'B', 'v': 1}, {'k': 'a', 'v': 2}, {'k': 'b', 'v': 3}]|groupby('k') %}"
          "{{ g.grouper }}{{ g.list|map(attribute='v')|list }}{% endfor %}"),
      "a[2]B[1, 3]");
}

}  // namespace
}  // namespace colonnade::text::jinja
