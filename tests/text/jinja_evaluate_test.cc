#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaEvaluate, AndOrGiveTheirOperandsAndStopEarly) {
  EXPECT_EQ(render("{{ 0 or 'x' }}{{ 1 and '' }}{{ '' or none }}{{ 1 or 1 / 0 }}"), "xNone1");
}

TEST(JinjaEvaluate, ComparisonsChain) {
  EXPECT_EQ(render("{{ 1 < 2 < 3 }}{{ 1 < 3 < 2 }}{{ 3 > 2 == 2 }}"), "TrueFalseTrue");
}

TEST(JinjaEvaluate, AnInlineIfWithoutElseIsUndefined) {
  EXPECT_EQ(render("{{ 'a' if false }}{{ ('a' if false) is defined }}"), "False");
}

TEST(JinjaEvaluate, FilterChainsOfBlocksStartWithTheBlocksText) {
  EXPECT_EQ(render("{% filter upper|replace('A', 'b') %}aa{% endfilter %}"), "bb");
}

TEST(JinjaEvaluate, ErrorsNameTheOperatorsPlace) {
  EXPECT_EQ(error_of("a\n{{ 1 + 'x' }}"),
            "test: line 2, column 6: unsupported operand types for +: 'int' and 'str'");
  EXPECT_EQ(error_of("{{ nothing.at.all }}"), "test: line 1, column 12: 'nothing' is undefined");
}

TEST(JinjaEvaluate, SliceBoundsMustBeIntegers) {
  EXPECT_EQ(render("{{ 'abc'[none:2] }}"), "ab");
  EXPECT_NE(error_of("{{ 'abc'['x':] }}"), "");
}

}  // namespace
}  // namespace colonnade::text::jinja
