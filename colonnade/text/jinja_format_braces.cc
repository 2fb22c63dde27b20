// "{}".format(...). Declared in jinja_format.h.
#include <algorithm>

#include "colonnade/text/jinja_format.h"
#include "colonnade/text/jinja_number_format.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

class BraceFormatter {
 public:
  BraceFormatter(Runtime& rt, const Value& format, const Args& args)
      : rt_(rt),
        format_(format),
        text_(*format.text),
        chars_(text_.chars()),
        args_(args),
        out_(rt) {}

  Value run() {
    for (size_t pos = 0; pos < chars_.size();) {
      const size_t brace = std::min(chars_.find_first_of("{}", pos), chars_.size());
      out_.append(text_, pos, brace);
      if (brace == chars_.size()) break;
      if (brace + 1 < chars_.size() && chars_[brace + 1] == chars_[brace]) {
        out_.append(text_, brace, brace + 1);
        pos = brace + 2;
      } else {
        if (chars_[brace] == '}') rt_.fail("format: single '}' in the format string");
        pos = field(brace + 1);
      }
    }
    Value made = out_.value();
    made.markup = format_.markup;
    return made;
  }

 private:
  // The field behind a '{' at begin - 1; returns the place behind its '}'.
  size_t field(size_t begin) {
    const size_t end = chars_.find('}', begin);
    if (end == std::string::npos) rt_.fail("format: expected '}' before the end of the string");
    const std::string inside = chars_.substr(begin, end - begin);
    if (inside.find('{') != std::string::npos)
      rt_.fail("format: fields inside fields are not supported");
    const size_t colon = std::min(inside.find(':'), inside.size());
    std::string name = inside.substr(0, colon);
    char conversion = 0;
    if (const size_t mark = name.find('!'); mark != std::string::npos) {
      if (mark + 2 != name.size()) rt_.fail("format: expected one character after '!'");
      conversion = name[mark + 1];
      name.resize(mark);
    }
    Value value = resolve(name);
    if (conversion == 'r') value = rt_.string(repr(rt_, value));
    if (conversion == 's') value = rt_.string(str(rt_, value));
    if (conversion != 0 && conversion != 'r' && conversion != 's')
      rt_.fail("format: the conversion is !r or !s");
    const size_t spec_begin = std::min(begin + colon + 1, end);
    if (format_.markup) value = escaped(rt_, value);
    out_.append(convert(value, text_.slice(spec_begin, end)));
    return end + 1;
  }

  Value resolve(const std::string& name) {
    const size_t head = std::min(name.find_first_of(".["), name.size());
    Value value = argument(name.substr(0, head));
    for (size_t pos = head; pos < name.size();) {
      const bool dotted = name[pos] == '.';
      const size_t end =
          dotted ? std::min(name.find_first_of(".[", pos + 1), name.size()) : name.find(']', pos);
      if (end == std::string::npos) rt_.fail("format: missing ']' in the field");
      const std::string key = name.substr(pos + 1, end - pos - 1);
      const bool number = !key.empty() && key.size() < 18 &&
                          key.find_first_not_of("0123456789") == std::string::npos;
      value = dotted ? attribute(rt_, value, key)
                     : item(rt_, value,
                            number ? make_integer(std::stoll(key)) : make_string(key, true));
      pos = dotted ? end : end + 1;
    }
    return value;
  }

  Value argument(const std::string& name) {
    const bool number = name.find_first_not_of("0123456789") == std::string::npos;
    if (!number) {
      for (const auto& [keyword, value] : args_.keyword) {
        if (keyword == name) return value;
      }
      rt_.fail(concat("format: no argument named '", name, "'"));
    }
    if (name.size() > 9) rt_.fail("format: too many arguments wanted");
    const size_t index = name.empty() ? next_++ : static_cast<size_t>(std::stoul(name));
    if (index >= args_.positional.size()) rt_.fail(concat("format: there is no argument ", index));
    return args_.positional[index];
  }

  int64_t number_at(const std::string& spec, size_t& pos) {
    int64_t number = 0;
    for (; pos < spec.size() && spec[pos] >= '0' && spec[pos] <= '9'; ++pos) {
      number = number * 10 + (spec[pos] - '0');
      if (number > kMaxFormatWidth) rt_.fail("format: the width or precision is too large");
    }
    return number;
  }

  // [[fill]align][sign][#][0][width][,][.precision][type]
  char parse(const Text& text, NumberFormat& spec) {
    const std::string& s = text.chars();
    constexpr std::string_view kAligns = "<>^=";
    size_t pos = 0;
    size_t after_fill = 0;
    if (!s.empty()) next_char(s, after_fill);
    if (after_fill > 0 && after_fill < s.size() &&
        kAligns.find(s[after_fill]) != std::string_view::npos) {
      spec.fill = text.slice(0, after_fill);
      pos = after_fill;
    }
    const auto at = [&](std::string_view any) {
      return pos < s.size() && any.find(s[pos]) != std::string_view::npos;
    };
    if (at(kAligns)) spec.align = s[pos++];
    if (at("+- ")) spec.sign = s[pos++];
    if (at("#")) spec.alternate = ++pos > 0;
    if (at("0")) spec.zero = ++pos > 0;
    spec.width = number_at(s, pos);
    if (at(",")) spec.grouped = ++pos > 0;
    if (at(".")) {
      ++pos;
      spec.precision = number_at(s, pos);
    }
    const char type = pos < s.size() ? s[pos++] : '\0';
    if (pos != s.size()) rt_.fail("format: this format specifier is not supported");
    return type;
  }

  Text convert(const Value& value, const Text& spec_text) {
    if (spec_text.empty()) return str(rt_, value);
    NumberFormat spec;
    spec.trusted = spec_text.trusted();
    const char type = parse(spec_text, spec);
    if (value.is(Kind::string)) {
      if (type != '\0' && type != 's')
        rt_.fail(concat("format: unknown code '", type, "' for a string"));
      return pad_text(rt_, *value.text, spec, '<');
    }
    constexpr std::string_view kIntegers = "dboxX";
    constexpr std::string_view kReals = "eEfFgG%";
    if (value.is_integer() && (type == '\0' || kIntegers.find(type) != std::string_view::npos)) {
      return format_integer(rt_, value, type == '\0' ? 'd' : type, spec);
    }
    if (value.is_number() && type != '\0' && kReals.find(type) != std::string_view::npos) {
      return format_real(rt_, value, type, spec);
    }
    if (value.is(Kind::real) && type == '\0' && spec.precision < 0)
      return pad_text(rt_, str(rt_, value), spec);
    rt_.fail(concat("format: this format specifier is not supported for ", type_name(value)));
  }

  Runtime& rt_;
  const Value& format_;
  const Text& text_;
  const std::string& chars_;
  const Args& args_;
  TextBuilder out_;
  size_t next_ = 0;
};

}  // namespace

Value format_braces(Runtime& rt, const Value& format, const Args& args) {
  return BraceFormatter(rt, format, args).run();
}

}  // namespace colonnade::text::jinja
