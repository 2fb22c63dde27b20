#include "colonnade/text/jinja_number_format.h"

#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

std::string integer(int64_t value, char type, const NumberFormat& spec) {
  Runtime rt(test_options());
  return format_integer(rt, make_integer(value), type, spec).chars();
}

TEST(JinjaNumberFormat, SignsStandBeforeZerosAndPrefixes) {
  NumberFormat spec;
  spec.zero = true;
  spec.alternate = true;
  spec.width = 8;
  EXPECT_EQ(integer(-255, 'x', spec), "-0x000ff");
  EXPECT_EQ(integer(INT64_MIN, 'd', {}), "-9223372036854775808");
}

TEST(JinjaNumberFormat, ThousandsAreGrouped) {
  NumberFormat spec;
  spec.grouped = true;
  EXPECT_EQ(integer(1234567, 'd', spec), "1,234,567");
  EXPECT_EQ(integer(123, 'd', spec), "123");
}

TEST(JinjaNumberFormat, RealsRoundAsInC) {
  Runtime rt(test_options());
  NumberFormat spec;
  spec.precision = 0;
  EXPECT_EQ(format_real(rt, make_real(2.5), 'f', spec).chars(), "2");
  spec.precision = 2;
  EXPECT_EQ(format_real(rt, make_real(0.255), '%', spec).chars(), "25.50%");
}

TEST(JinjaNumberFormat, TextIsCutAndPaddedInCharacters) {
  Runtime rt(test_options());
  NumberFormat spec;
  spec.precision = 2;
  spec.width = 4;
  EXPECT_EQ(pad_text(rt, Text("\u00e9\u00e9\u00e9", true), spec).chars(), "  \u00e9\u00e9");
}

}  // namespace
}  // namespace colonnade::text::jinja
