#include "colonnade/text/jinja_print.h"

#include <charconv>
#include <cmath>

#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

void append_escape(TextBuilder& out, char32_t c, bool trusted) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string escape = "\\x";
  int digits = 2;
  if (c > 0xFFFF) {
    escape = "\\U";
    digits = 8;
  } else if (c > 0xFF) {
    escape = "\\u";
    digits = 4;
  }
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) escape += kHex[(c >> shift) & 0xF];
  out.append(escape, trusted);
}

void append_string_repr(TextBuilder& out, const Text& text) {
  const std::string& chars = text.chars();
  const bool doubled =
      chars.find('\'') != std::string::npos && chars.find('"') == std::string::npos;
  const std::string_view quote = doubled ? "\"" : "'";
  const bool trusted = text.trusted();
  out.append(quote, trusted);
  for (size_t pos = 0; pos < chars.size();) {
    const size_t begin = pos;
    const char32_t c = next_char(chars, pos);
    const bool own = text.trusted(begin, pos);
    if (c == '\n') {
      out.append("\\n", own);
    } else if (c == '\r') {
      out.append("\\r", own);
    } else if (c == '\t') {
      out.append("\\t", own);
    } else if (c == '\\' || (c < 0x80 && quote[0] == static_cast<char>(c))) {
      out.append("\\", own);
      out.append(text, begin, pos);
    } else if (is_printable(c)) {
      out.append(text, begin, pos);
    } else {
      append_escape(out, c, own);
    }
  }
  out.append(quote, trusted);
}

void append_items(Runtime& rt, TextBuilder& out, const List& list, std::string_view open,
                  std::string_view close) {
  const Runtime::Level level(rt);
  out.append(open, list.trusted);
  for (size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) out.append(", ", list.trusted);
    append_repr(rt, out, list.items[i]);
  }
  if (list.flavor == Flavor::tuple && list.items.size() == 1) out.append(",", list.trusted);
  out.append(close, list.trusted);
}

void append_list(Runtime& rt, TextBuilder& out, const List& list) {
  switch (list.flavor) {
    case Flavor::list:
      return append_items(rt, out, list, "[", "]");
    case Flavor::tuple:
    case Flavor::group:
      return append_items(rt, out, list, "(", ")");
    case Flavor::keys:
      return append_items(rt, out, list, "dict_keys([", "])");
    case Flavor::values:
      return append_items(rt, out, list, "dict_values([", "])");
    case Flavor::items:
      return append_items(rt, out, list, "dict_items([", "])");
    case Flavor::range:
      out.append(concat("range(", list.start, ", ", list.stop), list.trusted);
      if (list.step != 1) out.append(concat(", ", list.step), list.trusted);
      return out.append(")", list.trusted);
    case Flavor::iterator:
      rt.fail("an iterator cannot be printed: make it a list first (| list)");
  }
}

void append_pairs(Runtime& rt, TextBuilder& out, const Dict& dict) {
  const Runtime::Level level(rt);
  out.append("{", dict.trusted);
  bool first = true;
  for (const auto& [name, value] : dict.entries) {
    if (!first) out.append(", ", dict.trusted);
    first = false;
    append_repr(rt, out, name);
    out.append(": ", dict.trusted);
    append_repr(rt, out, value);
  }
  out.append("}", dict.trusted);
}

void append_space(Runtime& rt, TextBuilder& out, const Space& space) {
  const Runtime::Level level(rt);
  out.append("<Namespace {", true);
  bool first = true;
  for (const auto& [name, value] : space.attributes) {
    if (!first) out.append(", ", true);
    first = false;
    append_repr(rt, out, rt.string(name, true));
    out.append(": ", true);
    append_repr(rt, out, value);
  }
  out.append("}>", true);
}

}  // namespace

std::string real_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  const size_t e = text.find('e');
  const std::string sign = text[0] == '-' ? "-" : "";
  std::string digits;
  for (const char c : text.substr(sign.size(), e - sign.size())) {
    if (c != '.') digits += c;
  }
  const int exponent = std::stoi(std::string(text.substr(e + 1)));
  if (exponent < -4 || exponent >= 16) {
    std::string out = sign + digits[0] + (digits.size() > 1 ? "." + digits.substr(1) : "");
    const std::string power = std::to_string(std::abs(exponent));
    return out + (exponent < 0 ? "e-" : "e+") + (power.size() < 2 ? "0" : "") + power;
  }
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

void append_repr(Runtime& rt, TextBuilder& out, const Value& value) {
  rt.step();
  switch (value.kind) {
    case Kind::undefined:
      return out.append("Undefined", true);
    case Kind::none:
      return out.append("None", value.trusted);
    case Kind::boolean:
      return out.append(value.integer != 0 ? "True" : "False", value.trusted);
    case Kind::integer:
      return out.append(std::to_string(value.integer), value.trusted);
    case Kind::real:
      return out.append(value.text ? value.chars() : real_repr(value.real), value.trusted);
    case Kind::string:
      if (value.markup) out.append("Markup(", value.text->trusted());
      append_string_repr(out, *value.text);
      if (value.markup) out.append(")", value.text->trusted());
      return;
    case Kind::list:
      return append_list(rt, out, as_list(value));
    case Kind::dict:
      return append_pairs(rt, out, as_dict(value));
    case Kind::space:
      return append_space(rt, out, static_cast<Space&>(*value.object));
    case Kind::callable:
    case Kind::loop:
      rt.fail(concat("a value of type ", type_name(value), " cannot be printed"));
  }
}

void append_str(Runtime& rt, TextBuilder& out, const Value& value) {
  if (value.is(Kind::string)) {
    out.append(*value.text);
  } else if (!value.is(Kind::undefined)) {
    append_repr(rt, out, value);
  }
}

Text str(Runtime& rt, const Value& value) {
  TextBuilder out(rt);
  append_str(rt, out, value);
  return out.take();
}

Text repr(Runtime& rt, const Value& value) {
  TextBuilder out(rt);
  append_repr(rt, out, value);
  return out.take();
}

Value soft_str(Runtime& rt, const Value& value) {
  return value.is(Kind::string) ? value : rt.string(str(rt, value));
}

Value escaped(Runtime& rt, const Value& value) {
  if (value.is(Kind::string) && value.markup) return value;
  const Text text = str(rt, value);
  TextBuilder out(rt);
  for (size_t i = 0; i < text.size(); ++i) {
    constexpr std::string_view kFrom = "&<>\"'";
    constexpr const char* kTo[] = {"&amp;", "&lt;", "&gt;", "&#34;", "&#39;"};
    const size_t which = kFrom.find(text.chars()[i]);
    if (which == std::string_view::npos) {
      out.append(text, i, i + 1);
    } else {
      out.append(kTo[which], text.trusted(i, i + 1));
    }
  }
  Value made = out.value();
  made.markup = true;
  return made;
}

}  // namespace colonnade::text::jinja
