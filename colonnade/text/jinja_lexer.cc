#include "colonnade/text/jinja_lexer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

// CRLF and CR become LF, and one newline at the very end is dropped.
std::string normalized(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }

bool is_name_char(char c) {
  return is_digit_char(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

constexpr std::array<std::string_view, 27> kOperators = {
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]",
    "(",  ")",  "{",  "}",  ">",  "<",  "=", ".", ":", "|", ",", ";", "!"};

class Lexer {
 public:
  Lexer(std::string_view source, std::string_view title)
      : source_(normalized(source)), title_(title) {}

  std::vector<Token> run() {
    while (pos_ < source_.size()) read_text();
    push(TokenKind::end, "", pos_);
    return std::move(tokens_);
  }

 private:
  // Where `pos` is. Tokens are asked for in order, so lines and columns are counted on from the
  // last place.
  Where where(size_t pos) {
    while (counted_ < pos) {
      const bool ends_line = source_[counted_] == '\n';
      next_char(source_, counted_);
      place_ = ends_line ? Where{place_.line + 1, 1} : Where{place_.line, place_.column + 1};
    }
    return place_;
  }

  [[noreturn]] void fail(Where at, const std::string& words) const {
    throw TemplateError(TemplateError::Kind::syntax, title_, at, words);
  }
  [[noreturn]] void fail(size_t pos, const std::string& words) { fail(where(pos), words); }

  void push(TokenKind kind, std::string value, size_t pos) {
    tokens_.push_back({kind, std::move(value), where(pos)});
  }

  bool at(size_t pos, std::string_view what) const {
    return std::string_view(source_).substr(std::min(pos, source_.size())).starts_with(what);
  }

  size_t skip_space(size_t pos) const {
    while (pos < source_.size()) {
      size_t next = pos;
      if (!is_space(next_char(source_, next))) break;
      pos = next;
    }
    return pos;
  }

  // Behind the end of a tag `close` at `pos` with its +, - or trimmed newline, if it ends there.
  std::optional<size_t> tag_end(size_t pos, std::string_view close, bool trim) const {
    if (at(pos, "-") && at(pos + 1, close)) return skip_space(pos + 1 + close.size());
    if (trim && at(pos, "+") && at(pos + 1, close)) return pos + 1 + close.size();
    if (!at(pos, close)) return std::nullopt;
    const size_t end = pos + close.size();
    return trim && at(end, "\n") ? end + 1 : end;
  }

  // Behind "{%", an optional sign, `word` and the spaces around it, if that is what stands at
  // `pos`.
  std::optional<size_t> tag_word(size_t pos, std::string_view word) const {
    if (!at(pos, "{%")) return std::nullopt;
    size_t p = pos + 2;
    if (at(p, "-") || at(p, "+")) ++p;
    p = skip_space(p);
    if (!at(p, word)) return std::nullopt;
    return skip_space(p + word.size());
  }

  // The text [begin, end) in front of a tag, cut as its sign and lstrip_blocks say.
  void push_text(size_t begin, size_t end, char sign, bool lstrip) {
    std::string_view text = std::string_view(source_).substr(begin, end - begin);
    if (sign == '-') {
      while (!text.empty()) {
        const size_t last = prev_char(text, text.size());
        size_t p = last;
        if (!is_space(next_char(text, p))) break;
        text = text.substr(0, last);
      }
    } else if (sign != '+' && lstrip) {
      const size_t newline = text.rfind('\n');
      const size_t line = newline == std::string_view::npos ? 0 : newline + 1;
      if ((line > 0 || line_starting_) && skip_space(begin + line) >= end)
        text = text.substr(0, line);
    }
    if (!text.empty()) push(TokenKind::text, std::string(text), begin);
  }

  char sign_at(size_t pos) const { return at(pos, "-") ? '-' : at(pos, "+") ? '+' : ' '; }

  void leave_tag(size_t end) {
    pos_ = end;
    line_starting_ = source_[end - 1] == '\n';
  }

  void read_text() {
    size_t open = pos_;
    while (true) {
      open = source_.find('{', open);
      if (open == std::string::npos || open + 1 >= source_.size()) {
        push_text(pos_, source_.size(), '+', false);
        pos_ = source_.size();
        return;
      }
      const char c = source_[open + 1];
      if (c == '{' || c == '%' || c == '#') break;
      ++open;
    }
    const char kind = source_[open + 1];
    const char sign = sign_at(open + 2);
    push_text(pos_, open, sign, kind != '{');
    const Where opened = where(open);
    if (kind == '#') return read_comment(opened, open + 2 + (sign != ' '));
    if (const auto inner = tag_word(open, "raw")) {
      if (const auto end = tag_end(*inner, "%}", false)) return read_raw(opened, *end);
    }
    const bool output = kind == '{';
    push(output ? TokenKind::output_begin : TokenKind::statement_begin, "", open);
    read_tag(opened, open + 2 + (sign != ' '), output);
  }

  void read_comment(Where opened, size_t pos) {
    for (; pos < source_.size(); ++pos) {
      if (const auto end = tag_end(pos, "#}", true)) return leave_tag(*end);
    }
    fail(opened, "the comment that starts here has no end: expected #}");
  }

  void read_raw(Where opened, size_t begin) {
    line_starting_ = source_[begin - 1] == '\n';
    for (size_t pos = begin; (pos = source_.find("{%", pos)) != std::string::npos; ++pos) {
      const auto inner = tag_word(pos, "endraw");
      const auto end = inner ? tag_end(*inner, "%}", true) : std::nullopt;
      if (!end) continue;
      push_text(begin, pos, sign_at(pos + 2), true);
      return leave_tag(*end);
    }
    fail(opened, "the raw block that starts here has no end: expected {% endraw %}");
  }

  void read_tag(Where opened, size_t pos, bool output) {
    std::string brackets;  // the closing ones that are awaited
    while (pos < source_.size()) {
      if (brackets.empty()) {
        if (const auto end = tag_end(pos, output ? "}}" : "%}", !output)) {
          push(output ? TokenKind::output_end : TokenKind::statement_end, "", pos);
          return leave_tag(*end);
        }
      }
      const size_t next = skip_space(pos);
      if (next > pos) {
        pos = next;
        continue;
      }
      const char c = source_[pos];
      if (is_digit_char(c)) {
        pos = read_number(pos);
      } else if (is_name_char(c)) {
        pos = read_name(pos);
      } else if (c == '"' || c == '\'') {
        pos = read_string(pos);
      } else {
        pos = read_operator(pos, brackets);
      }
    }
    fail(opened, output ? "the expression that starts here has no end: expected }}"
                        : "the statement that starts here has no end: expected %}");
  }

  size_t read_name(size_t pos) {
    size_t end = pos;
    while (end < source_.size() && is_name_char(source_[end])) ++end;
    push(TokenKind::name, source_.substr(pos, end - pos), pos);
    return end;
  }

  // Digits with single underscores between them.
  size_t skip_digits(size_t pos) const {
    while (pos < source_.size() &&
           (is_digit_char(source_[pos]) ||
            (source_[pos] == '_' && pos + 1 < source_.size() && is_digit_char(source_[pos + 1])))) {
      ++pos;
    }
    return pos;
  }

  size_t read_number(size_t pos) {
    if (source_[pos] == '0' && pos + 1 < source_.size()) {
      const char base = static_cast<char>(source_[pos + 1] | 0x20);
      if (base == 'x' || base == 'o' || base == 'b')
        fail(pos, "only decimal numbers are supported");
    }
    const bool after_dot = !tokens_.empty() && tokens_.back().is_op(".");
    size_t end = skip_digits(pos);
    TokenKind kind = TokenKind::integer;
    if (!after_dot) {
      if (at(end, ".") && end + 1 < source_.size() && is_digit_char(source_[end + 1])) {
        end = skip_digits(end + 1);
        kind = TokenKind::real;
      }
      size_t exponent = end + 1;
      if (at(exponent, "+") || at(exponent, "-")) ++exponent;
      if ((at(end, "e") || at(end, "E")) && exponent < source_.size() &&
          is_digit_char(source_[exponent])) {
        end = skip_digits(exponent);
        kind = TokenKind::real;
      }
    }
    std::string digits = source_.substr(pos, end - pos);
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    push(kind, digits, pos);
    return end;
  }

  size_t read_string(size_t pos) {
    const char quote = source_[pos];
    std::string value;
    size_t p = pos + 1;
    while (p < source_.size() && source_[p] != quote) {
      if (source_[p] == '\\') {
        p = read_escape(p, value);
      } else {
        value += source_[p++];
      }
    }
    if (p >= source_.size())
      fail(pos, concat("the string that starts here has no end: expected ", quote));
    push(TokenKind::string, value, pos);
    return p + 1;
  }

  // The escape at `pos`, as Python's "unicode-escape" reads it; what is no escape stays with its
  // backslash.
  size_t read_escape(size_t pos, std::string& out) {
    if (pos + 1 >= source_.size()) return source_.size();
    const char c = source_[pos + 1];
    constexpr std::string_view kFrom = "\\'\"abfnrtv";
    constexpr std::string_view kTo = "\\'\"\a\b\f\n\r\t\v";
    if (const size_t i = kFrom.find(c); i != std::string_view::npos) {
      out += kTo[i];
      return pos + 2;
    }
    if (c == '\n') return pos + 2;
    if (c == 'x') return read_code(pos, pos + 2, 2, 16, out);
    if (c == 'u') return read_code(pos, pos + 2, 4, 16, out);
    if (c == 'U') return read_code(pos, pos + 2, 8, 16, out);
    if (c == 'N') fail(pos, "characters by name (\\N{...}) are not supported");
    if (c >= '0' && c <= '7') {
      size_t digits = 1;
      while (digits < 3 && pos + 1 + digits < source_.size() && source_[pos + 1 + digits] >= '0' &&
             source_[pos + 1 + digits] <= '7') {
        ++digits;
      }
      return read_code(pos, pos + 1, digits, 8, out);
    }
    out += '\\';
    return pos + 1;
  }

  size_t read_code(size_t pos, size_t begin, size_t digits, uint32_t base, std::string& out) {
    uint32_t code = 0;
    for (size_t i = 0; i < digits; ++i) {
      const char c = begin + i < source_.size() ? source_[begin + i] : ' ';
      const uint32_t digit = is_digit_char(c) ? static_cast<uint32_t>(c - '0')
                             : (c | 0x20) >= 'a' && (c | 0x20) <= 'f'
                                 ? static_cast<uint32_t>((c | 0x20) - 'a' + 10)
                                 : base;
      if (digit >= base) fail(pos, "this escape needs more digits");
      code = code * base + digit;
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
      fail(pos, "this escape is no character");
    append_char(out, code);
    return begin + digits;
  }

  size_t read_operator(size_t pos, std::string& brackets) {
    const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                                 [&](std::string_view candidate) { return at(pos, candidate); });
    if (op == kOperators.end() || *op == "!")
      fail(pos, concat("unexpected character '", source_[pos], "'"));
    const char c = (*op)[0];
    if (c == '(') brackets += ')';
    if (c == '[') brackets += ']';
    if (c == '{') brackets += '}';
    if (c == ')' || c == ']' || c == '}') {
      if (brackets.empty()) fail(pos, concat("unexpected '", c, "'"));
      if (brackets.back() != c)
        fail(pos, concat("unexpected '", c, "', expected '", brackets.back(), "'"));
      brackets.pop_back();
    }
    push(TokenKind::op, std::string(*op), pos);
    return pos + op->size();
  }

  std::string source_;
  std::string_view title_;
  std::vector<Token> tokens_;
  size_t pos_ = 0;
  bool line_starting_ = true;  // the last tag ended with a newline, or none was
  size_t counted_ = 0;         // where() has come to here,
  Where place_;                // which is this place
};

}  // namespace

std::vector<Token> lex(std::string_view source, std::string_view title) {
  return Lexer(source, title).run();
}

}  // namespace colonnade::text::jinja
