#include "colonnade/text/regex_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade::text {
namespace {

// The structure, with S0, S1, ... for the sets.
std::string shape(std::string_view pattern) {
  std::string out;
  for (const RegexPart& part : parse_regex(pattern).parts)
    out += part.set < 0 ? part.text : "S" + std::to_string(part.set);
  return out;
}

// The only set of a pattern.
CodePointSet set_of(std::string_view pattern) {
  const ParsedRegex parsed = parse_regex(pattern);
  EXPECT_EQ(parsed.sets.size(), 1u) << pattern;
  return parsed.sets.at(0);
}

TEST(RegexParser, TheStructureStaysAndCharactersBecomeSets) {
  EXPECT_EQ(shape("ab|a"), "S0S1|S0");
  EXPECT_EQ(shape("(a)(?:a)(?=a)(?!a)(?<=a)(?<!a)(?>a)"),
            "(?:S0)(?:S0)(?=S0)(?!S0)(?<=S0)(?<!S0)(?>S0)");
  EXPECT_EQ(shape("a*a+a?a*?a+?a??a*+a++a?+"), "S0*S0+S0?S0*?S0+?S0??S0*+S0++S0?+");
  EXPECT_EQ(shape("a{2}a{2,}a{2,3}a{,3}"), "S0{2}S0{2,}S0{2,3}S0{0,3}");
  EXPECT_EQ(shape("a{x}"), "S0S1S2S3");
  EXPECT_EQ(shape(""), "");
}

TEST(RegexParser, EscapesAndClassesHaveTheirCharacters) {
  const struct {
    const char* pattern;
    const char* inside;
    const char* outside;
  } cases[] = {
      {"\\s", " \n\t", "a"},     {"\\S", "a", " \n"},       {"\\d", "09", "a"},
      {"\\w", "a_0", " -"},      {"\\x41", "A", "x4"},      {"\\x{41}", "A", "x{"},
      {"\\u0041", "A", "u"},     {".", "a.", "\n"},         {"[a-c]", "abc", "d-"},
      {"[^a-c]", "d-", "abc"},   {"[a-]", "a-", "b"},       {"[-a]", "a-", "b"},
      {"[\\]\\\\]", "]\\", "["}, {"[\\s[ab]]", " ab", "c"}, {"[^(\\s|[.,])]", "ab", "(|., )"},
      {"\\p{Lu}", "A", "a"},     {"\\P{L}", "1 ", "a"},     {"[\\p{^L}]", "1 ", "a"},
      {"(?i:a)", "aA", "b"},     {"(?i)a", "aA", "b"},      {"[\\n-\\r]", "\n\r", "a"},
  };
  for (const auto& c : cases) {
    const CodePointSet set = set_of(c.pattern);
    for (const char* p = c.inside; *p; ++p) {
      EXPECT_TRUE(set.contains(static_cast<unsigned char>(*p))) << c.pattern << " and " << *p;
    }
    for (const char* p = c.outside; *p; ++p) {
      EXPECT_FALSE(set.contains(static_cast<unsigned char>(*p))) << c.pattern << " and " << *p;
    }
  }
  EXPECT_TRUE(set_of("[\u4E00-\u9FA5]").contains(0x5000));
}

TEST(RegexParser, CaseIsIgnoredToTheEndOfTheGroup) {
  EXPECT_EQ(shape("(?i:a)a"), "(?:S0)S1");
  EXPECT_EQ(shape("(a(?i)a)a"), "(?:S0S1)S0");
}

TEST(RegexParser, WhatItDoesNotKnowIsNamedWithItsPlace) {
  const struct {
    std::string pattern;
    const char* message;
  } cases[] = {
      {"ab)", "byte 2: a ')' without a '('"},
      {"(ab", "byte 3: expected a ')'"},
      {"a^", "byte 1: anchors"},
      {"a\\b", "byte 3: the escape \\b is not supported"},
      {"(a)\\1", "the escape \\1 is not supported"},
      {"\\", "expected more behind this"},
      {"(?<n>a)", "this kind of group is not supported"},
      {"(?m:a)", "this kind of group is not supported"},
      {"*a", "byte 0: expected something to repeat"},
      {"a**", "a repeat of a repeat"},
      {"a{2}?", "a repeat of a counted repeat"},
      {"a{1001}", "at most 1000 repeats"},
      {"[a", "expected a ']'"},
      {"[]", "an empty class"},
      {"[a&&b]", "intersection"},
      {"[[:alpha:]]", "POSIX"},
      {"[b-a]", "from one character to a later one"},
      {"[\\s-a]", "from one character to a later one"},
      {"(?i:[a-z])", "whose case is ignored"},
      {"(?i:\u00E9)", "ASCII letters only"},
      {"\\p{Han}", "the property 'Han' is not supported"},
      {"\\p{s}", "the property 's' is not supported"},
      {"\\pL", "expected a '{'"},
      {"\\p{L", "expected a '}'"},
      {"\\x{110000}", "code point in hexadecimal"},
      {"\\xZ", "code point in hexadecimal"},
      {std::string(60, '('), "at most 50 levels deep"},
      {std::string(60, '['), "at most 50 levels deep"},
      {"\xFF", "expected UTF-8"},
  };
  for (const auto& c : cases) {
    try {
      parse_regex(c.pattern);
      ADD_FAILURE() << c.pattern << ": no error that says " << c.message;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(c.message)) << c.pattern;
    }
  }
}

TEST(RegexParser, APlainTextMatchesItself) {
  EXPECT_EQ(regex_of("a.b \u00E9"), "a\\.b\\ \u00E9");
  EXPECT_EQ(shape(regex_of("[*](a)^$")), "S0S1S2S3S4S5S6S7");
}

}  // namespace
}  // namespace colonnade::text
