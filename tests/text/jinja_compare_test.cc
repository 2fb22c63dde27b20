#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaCompare, NumbersOfDifferentTypesCompareExactly) {
  EXPECT_EQ(render("{{ 9007199254740993 == 9007199254740992.0 }}{{ 9007199254740993 > "
                   "9007199254740992.0 }}"),
            "FalseTrue");
  EXPECT_EQ(render("{{ 1 == 1.0 == true }}{{ 1 < 1e300 }}{{ 1 > -1e300 }}"), "TrueTrueTrue");
}

TEST(JinjaCompare, ValuesWithoutOrderAreAnError) {
  EXPECT_NE(error_of("{{ 1 < 'a' }}"), "");
  EXPECT_NE(error_of("{{ none < 1 }}"), "");
  EXPECT_NE(error_of("{{ {} < {} }}"), "");
}

TEST(JinjaCompare, DictsAreEqualInAnyOrderAndListsAreNot) {
  EXPECT_EQ(
      render("{{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }}{{ [1, 2] == [2, 1] }}{{ [1] == (1,) }}"),
      "TrueFalseFalse");
}

TEST(JinjaCompare, MembershipMeansSubstringKeyOrItem) {
  EXPECT_EQ(render("{{ 'b' in 'abc' }}{{ 'a' in {'a': 1} }}{{ 1.0 in [1] }}{{ 'x' in nothing }}"),
            "TrueTrueTrueFalse");
  EXPECT_NE(error_of("{{ 1 in 'abc' }}"), "");
}

TEST(JinjaCompare, UndefinedValuesAreFalseAndEqualOnlyToEachOther) {
  EXPECT_EQ(render("{{ not x }}{{ x == y }}{{ x == none }}"), "TrueTrueFalse");
}

}  // namespace
}  // namespace colonnade::text::jinja
