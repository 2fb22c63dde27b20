#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaPrettyFilter, ShortValuesAreOneLineWithKeysInOrder) {
  EXPECT_EQ(render("{{ {'b': [1, (2,)], 'a': none, 3: 'x'}|pprint }}"),
            "{3: 'x', 'a': None, 'b': [1, (2,)]}");
  EXPECT_EQ(render("{{ ''|pprint }}{{ 1.5|pprint }}"), "''1.5");
}

TEST(JinjaPrettyFilter, LongValuesTakeALinePerItem) {
  const std::string word(50, 'w');
  EXPECT_EQ(render("{{ [w, {'k': w, 'a': 1}]|pprint }}", R"({"w": ")" + word + R"("})"),
            "['" + word + "',\n {'a': 1, 'k': '" + word + "'}]");
}

TEST(JinjaPrettyFilter, LongStringsAreCutBetweenWordsAndKeepTheirAuthor) {
  const std::string half(45, 'h');
  EXPECT_EQ(marked("{{ (u ~ ' ' ~ u)|pprint }}", R"({"u": ")" + half + R"("})"),
            "«('" + half + "» «'\n '" + half + "')»");
}

TEST(JinjaPrettyFilter, DeepValuesAreAnErrorAndNoCrash) {
  EXPECT_NE(error_of("{% set l = namespace(v=[]) %}{% for i in range(700) %}{% set l.v = [l.v] %}"
                     "{% endfor %}{{ l.v|pprint }}"),
            "");
}

}  // namespace
}  // namespace colonnade::text::jinja
