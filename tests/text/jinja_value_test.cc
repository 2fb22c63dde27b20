#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaValue, OneAndTrueAndOnePointZeroAreOneKey) {
  EXPECT_EQ(dict_key(make_integer(1)), dict_key(make_real(1.0)));
  EXPECT_EQ(dict_key(make_integer(1)), dict_key(make_boolean(true)));
  EXPECT_NE(dict_key(make_integer(1)), dict_key(make_real(1.5)));
  EXPECT_NE(dict_key(make_integer(1)), dict_key(make_string("1", true)));
}

TEST(JinjaValue, DictsKeepTheirOrderAndTheFirstSpellingOfAKey) {
  Dict dict;
  dict.set("sb", make_string("b", false), make_integer(1));
  dict.set("sa", make_string("a", true), make_integer(2));
  dict.set("sb", make_string("b", true), make_integer(3));
  ASSERT_EQ(dict.entries.size(), 2u);
  EXPECT_EQ(dict.entries[0].second.integer, 3);
  EXPECT_FALSE(dict.entries[0].first.text->trusted());
}

TEST(JinjaValue, ErasingAKeyKeepsTheOthersFindable) {
  Dict dict;
  for (const char* name : {"a", "b", "c"})
    dict.set(name, make_string(name, true), make_string(name, true));
  EXPECT_TRUE(dict.erase("a"));
  EXPECT_FALSE(dict.erase("a"));
  EXPECT_EQ(dict.find("c")->chars(), "c");
  EXPECT_EQ(dict.find("a"), nullptr);
}

TEST(JinjaValue, TuplesCanBeKeysAndListsCannot) {
  Runtime rt(test_options());
  EXPECT_NE(dict_key(rt.list({make_integer(1)}, Flavor::tuple)), "");
  EXPECT_EQ(dict_key(rt.list({make_integer(1)})), "");
}

TEST(JinjaValue, TypesAreNamedAsInPython) {
  EXPECT_EQ(type_name(make_none()), "None");
  EXPECT_EQ(type_name(make_boolean(true)), "bool");
  EXPECT_EQ(type_name(make_string("", true)), "str");
  EXPECT_EQ(type_name(make_undefined("x")), "Undefined");
}

}  // namespace
}  // namespace colonnade::text::jinja
