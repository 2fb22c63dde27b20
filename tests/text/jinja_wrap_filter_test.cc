#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaWrapFilter, LinesAreCutBetweenWords) {
  EXPECT_EQ(render("{{ 'one two  three\nfour'|wordwrap(8) }}"), "one two\nthree\nfour");
  EXPECT_EQ(render("{{ 'a well-known e-mail'|wordwrap(7) }}"), "a well-\nknown\ne-mail");
  EXPECT_EQ(render("{{ 'so--it is'|wordwrap(4) }}"), "so--\nit\nis");
}

TEST(JinjaWrapFilter, LongWordsAreBrokenUnlessToldOtherwise) {
  EXPECT_EQ(render("{{ 'ab cdefghi'|wordwrap(4) }}"), "ab c\ndefg\nhi");
  EXPECT_EQ(render("{{ 'ab cdefghi j'|wordwrap(4, false, '|') }}"), "ab|cdefghi|j");
  EXPECT_EQ(render("{{ 'ab-cd'|wordwrap(4, break_on_hyphens=false) }}"), "ab-c\nd");
}

TEST(JinjaWrapFilter, TheAuthorStaysAndTheNewLinesAreTheTextOwners) {
  EXPECT_EQ(marked("{{ (u ~ ' b')|wordwrap(1, true, '|') }}", R"({"u": "a"})"), "«a»|b");
  EXPECT_EQ(marked("{{ u|wordwrap(1) }}", R"({"u": "a b"})"), "«a\nb»");
}

TEST(JinjaWrapFilter, AWidthBelowOneIsRefused) {
  EXPECT_NE(error_of("{{ 'a'|wordwrap(0) }}").find("expected a width of at least 1, got 0"),
            std::string::npos);
}

}  // namespace
}  // namespace colonnade::text::jinja
