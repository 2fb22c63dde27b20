#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaTests, TypesAreToldApart) {
  EXPECT_EQ(render("{{ 1 is integer }}{{ true is integer }}{{ true is number }}{{ 1.5 is float "
                   "}}{{ 'a' is string }}{{ {} is mapping }}"),
            "TrueFalseTrueTrueTrueTrue");
  EXPECT_EQ(render("{{ 'a' is sequence }}{{ {} is sequence }}{{ 1 is iterable }}{{ x is iterable "
                   "}}{{ range is callable }}"),
            "TrueTrueFalseTrueTrue");
}

TEST(JinjaTests, TruthTestsWantTheBooleansThemselves) {
  EXPECT_EQ(render("{{ true is true }}{{ 1 is true }}{{ 0 is false }}{{ false is false }}{{ none "
                   "is none }}"),
            "TrueFalseFalseTrueTrue");
}

TEST(JinjaTests, ComparingTestsTakeAnArgument) {
  EXPECT_EQ(render("{{ 1 is eq 1 }}{{ 2 is gt(1) }}{{ 1 is in [1] }}{{ 6 is divisibleby 4 }}{{ 3 "
                   "is odd }}{{ 1 is sameas true }}"),
            "TrueTrueTrueFalseTrueFalse");
}

TEST(JinjaTests, CaseTestsLookAtLettersOnly) {
  EXPECT_EQ(render("{{ 'A1' is upper }}{{ 'a1' is lower }}{{ '1' is lower }}{{ 'aB' is lower }}"),
            "TrueTrueFalseFalse");
}

TEST(JinjaTests, FiltersAndTestsCanBeAskedFor) {
  EXPECT_EQ(render("{{ 'upper' is filter }}{{ 'nope' is filter }}{{ 'odd' is test }}"),
            "TrueFalseTrue");
}

}  // namespace
}  // namespace colonnade::text::jinja
