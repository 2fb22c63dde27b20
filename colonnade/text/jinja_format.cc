#include "colonnade/text/jinja_format.h"

#include <cmath>
#include <cstdio>

#include "colonnade/text/jinja_number_format.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

// Walks "%..." conversions and takes the arguments they ask for.
class PercentFormatter {
 public:
  PercentFormatter(Runtime& rt, const Value& format, const Value& arguments)
      : rt_(rt), format_(format), text_(*format.text), out_(rt) {
    if (arguments.is(Kind::list) && as_list(arguments).flavor == Flavor::tuple) {
      positional_ = as_list(arguments).items;
      is_tuple_ = true;
    } else {
      positional_ = {arguments};
    }
    if (arguments.is(Kind::dict)) named_ = &as_dict(arguments);
  }

  Value run() {
    const std::string& chars = text_.chars();
    while (pos_ < chars.size()) {
      const size_t percent = std::min(chars.find('%', pos_), chars.size());
      out_.append(text_, pos_, percent);
      pos_ = percent;
      if (pos_ < chars.size()) conversion();
    }
    if (used_ < positional_.size() && named_ == nullptr &&
        (is_tuple_ || !leaves_argument(positional_[0]))) {
      rt_.fail("not all arguments converted during string formatting");
    }
    Value made = out_.value();
    made.markup = format_.markup;
    return made;
  }

 private:
  // Python lets a lone argument that is no tuple go unused if it could be a mapping.
  static bool leaves_argument(const Value& value) {
    return value.is(Kind::list) || value.is(Kind::dict);
  }

  char peek() {
    if (pos_ >= text_.size()) rt_.fail("incomplete format");
    return text_.chars()[pos_];
  }

  void conversion() {
    const size_t begin = pos_++;
    Value argument;
    bool has_argument = false;
    if (peek() == '(') {
      argument = named_argument();
      has_argument = true;
    }
    NumberFormat spec;
    spec.trusted = text_.trusted(begin, begin + 1);
    read_flags(spec);
    spec.width = read_number(spec);
    if (peek() == '.') {
      ++pos_;
      spec.precision = read_number(spec);
    }
    while (peek() == 'l' || peek() == 'h' || peek() == 'L') ++pos_;
    const char type = peek();
    ++pos_;
    if (type == '%') return out_.append(text_, pos_ - 1, pos_);
    if (!has_argument) argument = next_argument();
    out_.append(convert(type, argument, spec));
  }

  Value named_argument() {
    const size_t close = text_.chars().find(')', pos_);
    if (close == std::string::npos) rt_.fail("incomplete format key");
    if (named_ == nullptr) rt_.fail("format requires a mapping");
    const Value* found = named_->find("s" + text_.chars().substr(pos_ + 1, close - pos_ - 1));
    if (found == nullptr) rt_.fail("format: the mapping has no such key");
    pos_ = close + 1;
    return *found;
  }

  Value next_argument() {
    if (used_ >= positional_.size()) rt_.fail("not enough arguments for format string");
    return positional_[used_++];
  }

  void read_flags(NumberFormat& spec) {
    for (;; ++pos_) {
      switch (peek()) {
        case '-':
          spec.align = '<';
          break;
        case '+':
          spec.sign = '+';
          break;
        case ' ':
          if (spec.sign != '+') spec.sign = ' ';
          break;
        case '0':
          spec.zero = true;
          break;
        case '#':
          spec.alternate = true;
          break;
        default:
          return;
      }
    }
  }

  int64_t read_number(NumberFormat& spec) {
    if (peek() == '*') {
      ++pos_;
      const Value value = next_argument();
      if (!value.is_integer()) rt_.fail("* wants an integer");
      if (value.integer < 0) spec.align = '<';
      return std::abs(value.integer);
    }
    int64_t number = 0;
    while (peek() >= '0' && peek() <= '9') {
      number = number * 10 + (peek() - '0');
      if (number > kMaxFormatWidth) rt_.fail("the width or precision of a format is too large");
      ++pos_;
    }
    return number;
  }

  Text convert(char type, const Value& argument, NumberFormat spec) {
    if (type == 's' || type == 'r') {
      const Text text = type == 'r'      ? repr(rt_, argument)
                        : format_.markup ? *escaped(rt_, argument).text
                                         : str(rt_, argument);
      return pad_text(rt_, text, spec);
    }
    rt_.need_defined(argument);
    if (type == 'c') {
      std::string one;
      if (argument.is_integer() && argument.integer >= 0 && argument.integer <= 0x10FFFF) {
        append_char(one, static_cast<char32_t>(argument.integer));
        return pad_text(rt_, Text(one, spec.trusted && argument.trusted), spec);
      }
      if (argument.is(Kind::string) && count_chars(argument.chars()) == 1)
        return pad_text(rt_, *argument.text, spec);
      rt_.fail("%c requires an integer or a single character");
    }
    if (!argument.is_number()) {
      rt_.fail(concat("%", type, " format: a number is required, not ", type_name(argument)));
    }
    if (type == 'i' || type == 'u') type = 'd';
    if (type == 'd' && argument.is(Kind::real)) return whole(argument, spec);
    if (std::string_view("doxX").find(type) != std::string_view::npos) {
      if (!argument.is_integer())
        rt_.fail(concat("%", type, " format: an integer is required, not float"));
      return format_integer(rt_, argument, type, spec);
    }
    if (std::string_view("eEfFgG").find(type) != std::string_view::npos)
      return format_real(rt_, argument, type, spec);
    rt_.fail(concat("unsupported format character '", type, "'"));
  }

  Text whole(const Value& argument, const NumberFormat& spec) {
    if (!(std::fabs(argument.real) < 9.2e18))
      rt_.fail("%d format: the number is too large: integers have 64 bits");
    return format_integer(rt_, make_integer(static_cast<int64_t>(argument.real), argument.trusted),
                          'd', spec);
  }

  Runtime& rt_;
  const Value& format_;
  const Text& text_;
  TextBuilder out_;
  std::vector<Value> positional_;
  const Dict* named_ = nullptr;
  bool is_tuple_ = false;
  size_t used_ = 0;
  size_t pos_ = 0;
};

}  // namespace

Value format_percent(Runtime& rt, const Value& format, const Value& arguments) {
  return PercentFormatter(rt, format, arguments).run();
}

}  // namespace colonnade::text::jinja
