#include "colonnade/text/regex_parser.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"
#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

constexpr int kMostDepth = 50;
constexpr int kMostRepeats = 1000;
constexpr std::string_view kPunctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ";

class Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern) {}

  ParsedRegex parse() {
    alternatives(0);
    if (!done()) refuse("a ')' without a '('");
    return std::move(out_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(concat("regular expression ", quote(pattern_), ", byte ", pos_, ": ", what));
  }

  bool done() const { return pos_ >= pattern_.size(); }
  char peek() const { return done() ? '\0' : pattern_[pos_]; }
  bool at(std::string_view text) const { return pattern_.substr(pos_, text.size()) == text; }

  bool take(std::string_view text) {
    if (!at(text)) return false;
    pos_ += text.size();
    return true;
  }

  char32_t next() {
    if (done()) refuse("expected more behind this");
    return next_code_point(pattern_, &pos_);
  }

  void emit(std::string_view text) {
    if (out_.parts.empty() || out_.parts.back().set >= 0) out_.parts.emplace_back();
    out_.parts.back().text += text;
  }

  void emit(const CodePointSet& set) {
    const auto found = std::find(out_.sets.begin(), out_.sets.end(), set);
    const int index = static_cast<int>(found - out_.sets.begin());
    if (found == out_.sets.end()) out_.sets.push_back(set);
    out_.parts.push_back({"", index});
  }

  void alternatives(int depth) {
    if (depth > kMostDepth) refuse(concat("expected groups at most ", kMostDepth, " levels deep"));
    const bool ignore_case = ignore_case_;  // what (?i) switches on ends with its group
    while (!done() && peek() != ')') {
      if (take("|")) {
        emit("|");
      } else if (take("(?i)")) {
        ignore_case_ = true;
      } else {
        atom(depth);
        repeats();
      }
    }
    ignore_case_ = ignore_case;
  }

  void atom(int depth) {
    if (take("(")) return group(depth);
    if (take("[")) return emit(bracket(depth));
    if (take("\\")) return emit(escape());
    if (take(".")) return emit(CodePointSet('\n', '\n').complement());
    if (at("^") || at("$")) refuse("anchors are not supported");
    if (at("*") || at("+") || at("?")) refuse("expected something to repeat before this");
    emit(literal(next()));
  }

  CodePointSet literal(char32_t c) const {
    if (!ignore_case_) return {c, c};
    if (c >= 0x80) refuse("case can be ignored of ASCII letters only");
    return any_case(static_cast<char>(c));
  }

  void group(int depth) {
    const bool ignore_case = ignore_case_;
    static constexpr std::string_view kOpenings[] = {"?:", "?=", "?!", "?<=", "?<!", "?>"};
    const auto* opening = std::find_if(std::begin(kOpenings), std::end(kOpenings),
                                       [&](std::string_view text) { return at(text); });
    if (opening != std::end(kOpenings)) {
      pos_ += opening->size();
      emit(concat("(", *opening));
    } else if (take("?i:")) {
      ignore_case_ = true;
      emit("(?:");
    } else {
      if (at("?") || at("*"))
        refuse(
            "this kind of group is not supported; supported: (?:, (?i:, (?=, (?!, (?<=, (?<!, (?>");
      emit("(?:");
    }
    alternatives(depth + 1);
    if (!take(")")) refuse("expected a ')'");
    emit(")");
    ignore_case_ = ignore_case;
  }

  std::optional<int> number() {
    std::optional<int> value;
    while (peek() >= '0' && peek() <= '9') {
      value = value.value_or(0) * 10 + (peek() - '0');
      if (*value > kMostRepeats) refuse(concat("expected at most ", kMostRepeats, " repeats"));
      ++pos_;
    }
    return value;
  }

  // "{2}", "{2,}", "{2,3}", "{,3}"; false, and nothing is taken, if it is none of them.
  bool counted_repeat() {
    const size_t begin = pos_;
    if (!take("{")) return false;
    const auto least = number();
    const bool comma = take(",");
    const auto most = comma ? number() : least;
    if (!take("}") || (!least && !most)) {
      pos_ = begin;
      return false;
    }
    emit(concat("{", least.value_or(0)));
    if (comma) emit(",");
    if (comma && most) emit(std::to_string(*most));
    emit("}");
    return true;
  }

  void repeats() {
    if (counted_repeat()) {
      // Ruby reads "{2}?" and "{2}+" in a way of its own.
      if (at("?") || at("+") || at("*")) refuse("a repeat of a counted repeat is not supported");
      return;
    }
    if (!at("*") && !at("+") && !at("?")) return;
    emit(pattern_.substr(pos_++, 1));
    if (at("?") || at("+")) emit(pattern_.substr(pos_++, 1));
    if (at("*") || at("+") || at("?")) refuse("a repeat of a repeat is not supported");
  }

  // Behind "[".
  CodePointSet bracket(int depth) {
    if (depth > kMostDepth) refuse(concat("expected classes at most ", kMostDepth, " levels deep"));
    const bool inverted = take("^");
    CodePointSet set;
    bool first = true;
    while (!take("]") || first) {
      if (first && pos_ > 0 && pattern_[pos_ - 1] == ']') refuse("an empty class is not supported");
      first = false;
      if (done()) refuse("expected a ']'");
      if (at("&&")) refuse("the intersection of classes is not supported");
      if (at("[:")) refuse("classes in the manner of POSIX are not supported");
      if (take("[")) {
        set.add(bracket(depth + 1));
      } else {
        set.add(range());
      }
    }
    return inverted ? set.complement() : set;
  }

  // A character, an escape or "a-z".
  CodePointSet range() {
    const size_t begin = pos_;
    const CodePointSet from = take("\\") ? escape() : literal(next());
    const bool dash = at("-") && pos_ + 1 < pattern_.size() && pattern_[pos_ + 1] != ']';
    if (!dash) return from;
    ++pos_;
    if (at("[")) refuse("a range to a class is not supported");
    const CodePointSet to = take("\\") ? escape() : literal(next());
    const auto& low = from.edges();
    const auto& high = to.edges();
    const bool single = low.size() == 2 && high.size() == 2 && low[1] == low[0] + 1 &&
                        high[1] == high[0] + 1 && low[0] <= high[0];
    if (!single) {
      pos_ = begin;
      refuse(ignore_case_ ? "a range of letters whose case is ignored is not supported"
                          : "expected a range from one character to a later one");
    }
    return {low[0], high[0]};
  }

  // Behind "\".
  CodePointSet escape() {
    const char32_t c = next();
    switch (c) {
      case 'n':
        return {'\n', '\n'};
      case 'r':
        return {'\r', '\r'};
      case 't':
        return {'\t', '\t'};
      case 'f':
        return {'\f', '\f'};
      case 'v':
        return {'\v', '\v'};
      case 'a':
        return {'\a', '\a'};
      case 'e':
        return {0x1B, 0x1B};
      case 's':
        return *property_set("s");
      case 'S':
        return property_set("s")->complement();
      case 'w':
        return *property_set("w");
      case 'W':
        return property_set("w")->complement();
      case 'd':
        return *property_set("Nd");
      case 'D':
        return property_set("Nd")->complement();
      case 'p':
        return property(false);
      case 'P':
        return property(true);
      case 'x':
        return hexadecimal(take("{") ? 0 : 2);
      case 'u':
        return hexadecimal(4);
      default:
        break;
    }
    const bool plain =
        c >= 0x80 || kPunctuation.find(static_cast<char>(c)) != std::string_view::npos;
    if (!plain) refuse(concat("the escape \\", static_cast<char>(c), " is not supported"));
    return {c, c};
  }

  CodePointSet property(bool inverted) {
    if (!take("{")) refuse("expected a '{'");
    const bool caret = take("^");
    const size_t close = pattern_.find('}', pos_);
    if (close == std::string_view::npos) refuse("expected a '}'");
    const std::string_view name = pattern_.substr(pos_, close - pos_);
    const bool one_of_ours = name == "s" || name == "w";
    const auto set = one_of_ours ? std::nullopt : property_set(name);
    if (!set)
      refuse(concat("the property ", quote(name),
                    " is not supported; supported: general categories, as L or Lu"));
    pos_ = close + 1;
    return inverted != caret ? set->complement() : *set;
  }

  // `digits` of them, or up to "}" if that is 0.
  CodePointSet hexadecimal(int digits) {
    const int most = digits == 0 ? 6 : digits;
    char32_t value = 0;
    int count = 0;
    for (; count < most; ++count) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) break;
      value = value * 16 + static_cast<char32_t>(digit);
      ++pos_;
    }
    const bool good = digits == 0 ? count > 0 && take("}") : count == digits;
    if (!good || value >= kCodePoints) refuse("expected the number of a code point in hexadecimal");
    return {value, value};
  }

  std::string_view pattern_;
  size_t pos_ = 0;
  bool ignore_case_ = false;
  ParsedRegex out_;
};

}  // namespace

ParsedRegex parse_regex(std::string_view pattern) {
  CN_CHECK(first_invalid_utf8(pattern) < 0, "regular expression ", quote(pattern),
           ": expected UTF-8");
  return Parser(pattern).parse();
}

std::string regex_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (kPunctuation.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace colonnade::text
