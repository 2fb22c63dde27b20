#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaConvert, IntegersTakeUnderscoresAndPrefixesAsPythonDoes) {
  Runtime rt(test_options());
  EXPECT_EQ(parse_integer(rt, " -1_000 ", 10), -1000);
  EXPECT_EQ(parse_integer(rt, "0x_ff", 16), 255);
  EXPECT_EQ(parse_integer(rt, "0b101", 0), 5);
  EXPECT_EQ(parse_integer(rt, "zz", 36), 1295);
  for (const char* bad : {"", "_1", "1_", "1__0", "1.5", "--1", "+-1", "0x", "1 2", "\u0661"}) {
    EXPECT_EQ(parse_integer(rt, bad, 10), std::nullopt) << bad;
  }
  EXPECT_THROW(parse_integer(rt, "9223372036854775808", 10), TemplateError);
  EXPECT_THROW(parse_integer(rt, "1", 99), TemplateError);
}

TEST(JinjaConvert, RealsTakeWhatPythonTakes) {
  EXPECT_EQ(parse_real(" 1_0.5e1 "), 105.0);
  EXPECT_EQ(parse_real("+2"), 2.0);
  EXPECT_EQ(parse_real("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_real("1e-999"), 0.0);
  for (const char* bad : {"", "x", "+-1", "0x1p3", "nan(1)", "1e", "1 2"})
    EXPECT_EQ(parse_real(bad), std::nullopt) << bad;
}

TEST(JinjaConvert, JsonKeepsTheOrderOfItsKeysAndIsTheCallers) {
  EXPECT_EQ(marked("{{ v }}", R"({"v": {"z": 1, "a": [true, null, 2.5]}})"),
            "«{'z': 1, 'a': [True, None, 2.5]}»");
}

TEST(JinjaConvert, IntegersBeyondTheSignKeepTheirDigits) {
  EXPECT_EQ(render("{{ v }} {{ v|tojson }} {{ [v] }}", R"({"v": 18446744073709551615})"),
            "18446744073709551615 18446744073709551615 [18446744073709551615]");
}

TEST(JinjaConvert, DeepJsonIsRefusedBeforeItCanHurt) {
  const std::string deep(100000, '[');
  EXPECT_NE(error_of("{{ u|from_json }}", "{\"u\": \"" + deep + "\"}").find("nests deeper"),
            std::string::npos);
}

}  // namespace
}  // namespace colonnade::text::jinja
