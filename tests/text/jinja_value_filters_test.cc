#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaValueFilters, NumbersAreReadAsPythonReadsThem) {
  EXPECT_EQ(render("{{ '42'|int }} {{ '4.7'|int }} {{ 'x'|int(-1) }} {{ '0x1f'|int(0, 16) }} {{ ' "
                   "5 '|int }} {{ '1e3'|float }}"),
            "42 4 -1 31 5 1000.0");
  EXPECT_NE(error_of("{{ '99999999999999999999'|int }}"), "");
}

TEST(JinjaValueFilters, NumbersMadeFromTheCallersTextAreTheCallers) {
  EXPECT_EQ(marked("{{ u|int + 1 }}{{ u|float }}", R"({"u": "42"})"), "«4342.0»");
}

TEST(JinjaValueFilters, RoundingIsExactAndHalvesGoToEven) {
  EXPECT_EQ(render("{{ 2.5|round }} {{ 3.5|round }} {{ 2.675|round(2) }} {{ 2.1|round(0, 'ceil') "
                   "}} {{ 7|round }}"),
            "2.0 4.0 2.67 3.0 7");
}

TEST(JinjaValueFilters, DefaultReplacesUndefinedAndWithTrueAlsoFalsyValues) {
  EXPECT_EQ(render("{{ x|default('d') }}{{ ''|default('d') }}{{ ''|default('d', true) }}{{ "
                   "none|default('d') }}"),
            "ddNone");
}

TEST(JinjaValueFilters, JsonCanBeReadAndKeepsItsMark) {
  EXPECT_EQ(marked("{{ u|from_json|join }}{{ '[1]'|from_json|join }}", R"({"u": "[\"a\", 2]"})"),
            "«a2»1");
  EXPECT_NE(error_of("{{ '{'|from_json }}"), "");
}

TEST(JinjaValueFilters, SizesHaveUnits) {
  EXPECT_EQ(
      render(
          "{{ 1|filesizeformat }}, {{ 123456|filesizeformat }}, {{ 123456|filesizeformat(true) }}"),
      "1 Byte, 123.5 kB, 120.6 KiB");
}

}  // namespace
}  // namespace colonnade::text::jinja
