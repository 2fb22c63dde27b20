#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaOperators, DivisionAndRemainderRoundDown) {
  EXPECT_EQ(render("{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7 / 2 }} {{ -7.5 % 2 }}"),
            "-4 2 -2 3.5 0.5");
}

TEST(JinjaOperators, IntegersBeyond64BitsAreAnErrorNotAWrongNumber) {
  EXPECT_NE(error_of("{{ 9223372036854775807 + 1 }}"), "");
  EXPECT_NE(error_of("{{ 2 ** 64 }}"), "");
  EXPECT_NE(error_of("{{ (0 - 9223372036854775807 - 1) // -1 }}"), "");
  EXPECT_NE(error_of("{{ -(0 - 9223372036854775807 - 1) }}"), "");
  EXPECT_EQ(render("{{ (0 - 9223372036854775807 - 1) % -1 }}"), "0");
}

TEST(JinjaOperators, PowersOfRealsTakeWholeExponents) {
  EXPECT_EQ(power(10, 22), 1e22);
  EXPECT_EQ(power(10, -3), 1e-3);
  EXPECT_EQ(power(1.5, 0), 1.0);
  EXPECT_EQ(render("{{ 2 ** -2 }} {{ 1.5 ** 2 }} {{ (-2.0) ** 3 }} {{ 2 ** 3.0 }}"),
            "0.25 2.25 -8.0 8.0");
  EXPECT_NE(error_of("{{ 2 ** 0.5 }}"), "");
  EXPECT_NE(error_of("{{ 10.0 ** 999 }}"), "");
}

TEST(JinjaOperators, DivisionByZeroIsAnError) {
  for (const char* source :
       {"{{ 1 / 0 }}", "{{ 1 // 0 }}", "{{ 1 % 0 }}", "{{ 1.5 % 0 }}", "{{ 0 ** -1 }}"}) {
    EXPECT_NE(error_of(source).find("division by zero"), std::string::npos) << source;
  }
}

TEST(JinjaOperators, SumsAndProductsKeepTheMarksOfTheirParts) {
  const char* json = R"({"u": "<x>", "n": 3})";
  EXPECT_EQ(marked("{{ 'a' + u + 'b' }}", json), "a«<x>»b");
  EXPECT_EQ(marked("{{ u * 2 }}", json), "«<x><x>»");
  EXPECT_EQ(marked("{{ 'a' * n }}", json), "aaa");
  EXPECT_EQ(marked("{{ n + 1 }}{{ 1 + 1 }}", json), "«4»2");
  EXPECT_EQ(marked("{{ ['a'] + [u] }}", json), "['a', «'<x>'»]");
}

TEST(JinjaOperators, MarkupEscapesWhatIsAddedToIt) {
  EXPECT_EQ(marked("{{ '<a>'|safe + u }}", R"({"u": "<x>"})"), "<a>«&lt;x&gt;»");
}

}  // namespace
}  // namespace colonnade::text::jinja
