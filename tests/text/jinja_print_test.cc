#include "colonnade/text/jinja_print.h"

#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaPrint, RealsPrintAsTheShortestTextThatReadsBack) {
  EXPECT_EQ(real_repr(0.1), "0.1");
  EXPECT_EQ(real_repr(1e22), "1e+22");
  EXPECT_EQ(real_repr(1e16), "1e+16");
  EXPECT_EQ(real_repr(123456789012345680.0), "1.2345678901234568e+17");
  EXPECT_EQ(real_repr(0.0001), "0.0001");
  EXPECT_EQ(real_repr(0.00001), "1e-05");
  EXPECT_EQ(real_repr(-0.0), "-0.0");
  EXPECT_EQ(real_repr(5e-324), "5e-324");
}

TEST(JinjaPrint, StringsInsideListsAreQuotedAsInPython) {
  EXPECT_EQ(render("{{ ['a', \"it's\", 'q\"', 'n\\n', '\\x01', '\\u00ad'] }}"),
            "['a', \"it's\", 'q\"', 'n\\n', '\\x01', '\\xad']");
}

TEST(JinjaPrint, APrintedContainerBelongsToWhoMadeIt) {
  const char* json = R"({"l": ["x"], "u": "y"})";
  EXPECT_EQ(marked("{{ l }}", json), "«['x']»");
  EXPECT_EQ(marked("{{ [u, 'z'] }}", json), "[«'y'», 'z']");
  EXPECT_EQ(marked("{{ {u: 1} }}", json), "{«'y'»: 1}");
}

TEST(JinjaPrint, FunctionsAndIteratorsCannotBePrinted) {
  EXPECT_NE(error_of("{{ range }}"), "");
  EXPECT_NE(error_of("{{ [1]|map('string') }}"), "");
}

TEST(JinjaPrint, EscapesKeepTheMarkOfTheCharacter) {
  EXPECT_EQ(marked("{{ ('<' ~ u)|e }}", R"({"u": "<"})"), "&lt;«&lt;»");
}

}  // namespace
}  // namespace colonnade::text::jinja
