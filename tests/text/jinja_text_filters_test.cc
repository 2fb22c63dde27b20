#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaTextFilters, CaseAndTrimmingKeepMarks) {
  const char* json = R"({"u": " x<b "})";
  EXPECT_EQ(marked("{{ ('a' ~ u ~ 'c')|upper }}", json), "A« X<B »C");
  EXPECT_EQ(marked("{{ (' ' ~ u ~ ' ')|trim }}", json), "«x<b»");
  EXPECT_EQ(marked("{{ (u ~ 'z')|capitalize }}", json), "« x<b »z");
  EXPECT_EQ(marked("{{ ('ab ' ~ u)|title }}", json), "Ab « X<B »");
  EXPECT_EQ(marked("{{ ('ab' ~ u)|reverse }}", json), "« b<x »ba");
}

TEST(JinjaTextFilters, ReplacementTextKeepsItsOwnMarks) {
  const char* json = R"({"u": "-x-"})";
  EXPECT_EQ(marked("{{ u|replace('-', '+') }}", json), "+«x»+");
  EXPECT_EQ(marked("{{ 'a-b'|replace('-', u) }}", json), "a«-x-»b");
  EXPECT_EQ(marked("{{ 'ab'|replace('', u) }}", json), "«-x-»a«-x-»b«-x-»");
}

TEST(JinjaTextFilters, IndentTruncateAndEscapesKeepMarks) {
  EXPECT_EQ(marked("{{ u|indent(2) }}", R"({"u": "a\nb"})"), "«a\n  b»");
  EXPECT_EQ(marked("{{ 'a\n'|indent('> ', true) ~ u }}", R"({"u": "x"})"), "> a\n«x»");
  EXPECT_EQ(marked("{{ u|truncate(4, true, leeway=0) }}", R"({"u": "abcdefgh"})"), "«a...»");
  EXPECT_EQ(marked("{{ ('&' ~ u)|escape }}{{ u|urlencode }}", R"({"u": "& "})"),
            "&amp;«&amp; %26%20»");
}

TEST(JinjaTextFilters, TitleStartsWordsAfterSpacesAndOpeningBracketsOnly) {
  EXPECT_EQ(render("{{ \"it's (an) a-b x_y\"|title }}"), "It's (An) A-B X_y");
}

TEST(JinjaTextFilters, AttributesOfHtmlLeaveOutWhatIsNone) {
  EXPECT_EQ(marked("<a{{ {'x': u, 'y': none, 'z': '\"'}|xmlattr }}>", R"({"u": "<"})"),
            "<a x=\"«&lt;»\" z=\"&#34;\">");
  EXPECT_EQ(render("{{ {'x': 1}|xmlattr(false) }}{{ {}|xmlattr }}"), "x=\"1\"");
  EXPECT_NE(error_of("{{ {'a b': 1}|xmlattr }}").find("'a b'"), std::string::npos);
}

TEST(JinjaTextFilters, WordsAreCounted) {
  EXPECT_EQ(render("{{ 'a b_c, d-e'|wordcount }}{{ ''|wordcount }}"), "40");
}

}  // namespace
}  // namespace colonnade::text::jinja
