// Cuts a template into tokens: text outside tags, and inside them names, numbers, strings and
// operators. White space control is done here, with trim_blocks and lstrip_blocks on, as chat
// templates expect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "colonnade/text/template_error.h"

namespace colonnade::text::jinja {

enum class TokenKind : unsigned char {
  text,             // outside tags
  output_begin,     // {{
  output_end,       // }}
  statement_begin,  // {%
  statement_end,    // %}
  name,
  string,  // value: the characters it stands for
  integer,
  real,
  op,
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string value;
  Where where;

  bool is(TokenKind k, std::string_view v) const { return kind == k && value == v; }
  bool is_op(std::string_view v) const { return is(TokenKind::op, v); }
  bool is_name(std::string_view v) const { return is(TokenKind::name, v); }
};

/// The tokens of `source`, the last one of kind `end`. `title` names the template in errors.
/// Throws TemplateError with line and column. Source: Jinja 3.1, "Template Designer Documentation",
/// white space control.
std::vector<Token> lex(std::string_view source, std::string_view title);

}  // namespace colonnade::text::jinja
