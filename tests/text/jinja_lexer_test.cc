#include "colonnade/text/jinja_lexer.h"

#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

std::vector<std::string> values(std::string_view source) {
  std::vector<std::string> out;
  for (const Token& token : lex(source, "test")) out.push_back(token.value);
  return out;
}

std::string failure(std::string_view source) {
  try {
    lex(source, "t");
  } catch (const TemplateError& error) {
    return error.what();
  }
  return "";
}

TEST(JinjaLexer, TokensKnowTheirLineAndColumnInCharacters) {
  const std::vector<Token> tokens = lex("\u00e9\n\u00e9\u00e9{{ x }}", "test");
  ASSERT_EQ(tokens.size(), 5u);
  EXPECT_EQ(tokens[2].value, "x");
  EXPECT_EQ(tokens[2].where.line, 2);
  EXPECT_EQ(tokens[2].where.column, 6);
}

TEST(JinjaLexer, BracesInsideATagDoNotEndIt) {
  EXPECT_EQ(values("{{ {'a':{'b':1}} }}").size(), 12u);
}

TEST(JinjaLexer, EscapesAreReadAsPythonReadsThem) {
  EXPECT_EQ(values("{{ 'a\\n\\x41\\u00e9\\q\\101' }}")[1], "a\nA\u00e9\\qA");
}

TEST(JinjaLexer, ADigitAfterADotIsAnIndexNotAFraction) {
  EXPECT_EQ(values("{{ a.1.2 }}"), (std::vector<std::string>{"", "a", ".", "1", ".", "2", "", ""}));
  EXPECT_EQ(values("{{ 1.2 }}")[1], "1.2");
}

TEST(JinjaLexer, OneNewlineAtTheEndAndAfterAStatementIsDropped) {
  EXPECT_EQ(values("a\n\n"), (std::vector<std::string>{"a\n", ""}));
  EXPECT_EQ(values("{% x %}\n\nb").at(3), "\nb");
  EXPECT_EQ(values("{{ x }}\nb").at(3), "\nb");
}

TEST(JinjaLexer, WhatHasNoEndIsNamedWhereItStarts) {
  EXPECT_EQ(failure("ab\n {# x"),
            "t: line 2, column 2: the comment that starts here has no end: expected #}");
  EXPECT_EQ(
      failure("{% raw %} x"),
      "t: line 1, column 1: the raw block that starts here has no end: expected {% endraw %}");
  EXPECT_EQ(failure("a{{ x"),
            "t: line 1, column 2: the expression that starts here has no end: expected }}");
  EXPECT_EQ(failure("a{% x"),
            "t: line 1, column 2: the statement that starts here has no end: expected %}");
  EXPECT_EQ(failure("{{ 'x }}"),
            "t: line 1, column 4: the string that starts here has no end: expected '");
}

TEST(JinjaLexer, EveryPrefixOfATemplateIsReadOrRefused) {
  const std::string whole =
      "a {%- if x is not none -%} {{ 12.5e+3 ~ 'q\\x41' }} {# c -#} {% raw %} {{ {%- endraw +%} {% "
      "endif %}";
  for (size_t length = 0; length <= whole.size(); ++length) {
    const std::string message = failure(whole.substr(0, length));
    EXPECT_TRUE(message.empty() || message.rfind("t: line 1, column ", 0) == 0) << message;
  }
}

TEST(JinjaLexer, BracketsMustMatch) {
  EXPECT_EQ(failure("{{ (1] }}"), "t: line 1, column 6: unexpected ']', expected ')'");
  EXPECT_EQ(failure("{{ ) }}"), "t: line 1, column 4: unexpected ')'");
  EXPECT_EQ(failure("{{ a ? b }}"), "t: line 1, column 6: unexpected character '?'");
}

}  // namespace
}  // namespace colonnade::text::jinja
