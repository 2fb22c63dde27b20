#include "colonnade/text/utf8.h"

#include <gtest/gtest.h>

namespace colonnade::text {
namespace {

TEST(Utf8, EveryScalarValueIsDecodedToItself) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string s;
    append_utf8(&s, c);
    ASSERT_EQ(first_invalid_utf8(s), -1) << std::hex << +c;
    size_t pos = 0;
    ASSERT_EQ(next_code_point(s, &pos), c);
    ASSERT_EQ(pos, s.size());
  }
}

TEST(Utf8, TheFirstBadByteIsNamed) {
  const struct {
    std::string text;
    int64_t bad;
  } cases[] = {
      {"", -1},
      {"plain ascii, longer than eight bytes", -1},
      {"\x80", 0},
      {"0123456789\xFF", 10},
      {"01234567\xC3", 8},
      {"ab\xC3(", 2},
      {"\xC0\xAF", 0},          // overlong
      {"\xE0\x9F\xBF", 0},      // overlong
      {"\xF0\x8F\xBF\xBF", 0},  // overlong
      {"\xED\xA0\x80", 0},      // surrogate
      {"\xF4\x90\x80\x80", 0},  // above U+10FFFF
      {"\xF5\x80\x80\x80", 0},
      {"x\xE2\x82", 1},
      {"x\xF0\x9F\x98", 1},
      {"\xF0\x9F\x98\x80\xF0", 4},
  };
  for (const auto& c : cases) EXPECT_EQ(first_invalid_utf8(c.text), c.bad) << c.text;
}

TEST(Utf8, OneReplacementStandsForTheLongestBeginningOfACharacter) {
  using Kind = Utf8Step::Kind;
  const struct {
    std::string_view bytes;
    Kind kind;
    int length;
  } cases[] = {
      {"a\x80", Kind::character, 1},         {"\xC3\xA9x", Kind::character, 2},
      {"\xE2\x82\xAC", Kind::character, 3},  {"\xF0\x9F\x98\x80", Kind::character, 4},
      {"\xF0\x9F\x98", Kind::incomplete, 3}, {"\xE2", Kind::incomplete, 1},
      {"\xF0\x9F\x98x", Kind::invalid, 3},   {"\xE2\x82\xE2", Kind::invalid, 2},
      {"\xE0\x80\x80", Kind::invalid, 1},    {"\x80\x80", Kind::invalid, 1},
      {"\xC1\x80", Kind::invalid, 1},
  };
  for (const auto& c : cases) {
    const Utf8Step step = utf8_step(c.bytes);
    EXPECT_EQ(step.kind, c.kind) << c.bytes;
    EXPECT_EQ(step.length, c.length) << c.bytes;
  }
}

}  // namespace
}  // namespace colonnade::text
