#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaStringMethods, KeepTheMarksOfWhatTheyKeep) {
  const char* json = R"({"u": "<x> "})";
  EXPECT_EQ(marked("{{ ('a ' ~ u).strip() }}", json), "a «<x>»");
  EXPECT_EQ(marked("{{ ('a,' ~ u).split(',')[1] }}", json), "«<x> »");
  EXPECT_EQ(marked("{{ u.replace('<', '[') }}", json), "[«x> »");
  EXPECT_EQ(marked("{{ '-'.join(['a', u]) }}", json), "a-«<x> »");
  EXPECT_EQ(marked("{{ ('a' ~ u).upper() }}{{ ('a' ~ u).title() }}", json), "A«<X> »A«<X> »");
  EXPECT_EQ(marked("{{ ('a' ~ u).partition('<')[2] }}{{ ('a' ~ u).removeprefix('a<') }}", json),
            "«x> x> »");
  EXPECT_EQ(marked("{{ 'a'.ljust(3, u[0]) }}{{ u.zfill(6) }}", json), "a«<<00<x> »");
}

TEST(JinjaStringMethods, PositionsCountCharacters) {
  EXPECT_EQ(render("{{ s.find('b') }}{{ s.rfind('a') }}{{ s.find('zz') }}{{ s.count('a') }}{{ "
                   "s.index('b', -2) }}",
                   R"({"s": "\u00e9a\u00e9ab"})"),
            "43-124");
  EXPECT_NE(error_of("{{ 'a'.index('b') }}"), "");
}

TEST(JinjaStringMethods, AffixesMayBeATuple) {
  EXPECT_EQ(render("{{ 'abc'.startswith(('x', 'a')) }}{{ 'abc'.endswith('c') }}{{ "
                   "'abc'.startswith('b', 1) }}{{ 'abc'.endswith('') }}"),
            "TrueTrueTrueTrue");
  EXPECT_NE(error_of("{{ 'abc'.startswith(1) }}"), "");
}

TEST(JinjaStringMethods, JoinTakesStringsOnly) { EXPECT_NE(error_of("{{ ','.join([1]) }}"), ""); }

TEST(JinjaStringMethods, WideFieldsAreBounded) {
  EXPECT_NE(error_of("{{ 'a'.ljust(9999999999) }}"), "");
  EXPECT_NE(error_of("{{ 'a\\tb'.expandtabs(9999999999) }}"), "");
}

TEST(JinjaStringMethods, FoldedCaseAndTitlesFollowPython) {
  EXPECT_EQ(render("{{ 'Straße ΑΣ'.casefold() }}"), "strasse ασ");
  EXPECT_EQ(
      render("{{ 'A Bc'.istitle() }}{{ 'aB'.istitle() }}{{ 'AB'.istitle() }}{{ ''.istitle() }}"),
      "TrueFalseFalseFalse");
}

}  // namespace
}  // namespace colonnade::text::jinja
