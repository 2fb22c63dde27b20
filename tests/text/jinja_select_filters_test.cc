#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaSelectFilters, MapAppliesAFilterWithItsArguments) {
  EXPECT_EQ(render("{{ ['a', 'b']|map('replace', 'a', 'z')|list }}{{ [{'x': 1}, "
                   "{}]|map(attribute='x', default=0)|list }}"),
            "['z', 'b'][1, 0]");
  EXPECT_EQ(marked("{{ [u, 'b']|map('upper')|join }}", R"({"u": "x"})"), "«X»B");
}

TEST(JinjaSelectFilters, ItemsAreChosenByTestOrTruth) {
  EXPECT_EQ(render("{{ [0, 1, 2, '']|select|list }}{{ [1, 2, 3]|reject('odd')|list }}"),
            "[1, 2][2]");
  EXPECT_EQ(render("{{ [{'r': 1}, {'r': 2}, {}]|selectattr('r', 'equalto', 2)|list|length }}{{ "
                   "[{'r': 1}, {}]|rejectattr('r')|list }}"),
            "1[{}]");
}

TEST(JinjaSelectFilters, WrongUseIsAnError) {
  EXPECT_NE(error_of("{{ [1]|map|list }}"), "");
  EXPECT_NE(error_of("{{ [1]|map(nope=1)|list }}"), "");
  EXPECT_NE(error_of("{{ [1]|selectattr|list }}"), "");
  EXPECT_NE(error_of("{{ [1]|map(f)|list }}", R"({"f": "nope"})"), "");
}

}  // namespace
}  // namespace colonnade::text::jinja
