// Values as JSON, as Python's json.dumps writes it. Declared in jinja_print.h.
#include <algorithm>
#include <cmath>

#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

std::string code_unit(char32_t unit) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 0xF];
  return out;
}

// The escape of `c`, or nothing if it stands for itself.
std::string json_escape(char32_t c, bool ensure_ascii) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\f':
      return "\\f";
    case '\b':
      return "\\b";
    default:
      break;
  }
  if (c >= 0x20 && !(ensure_ascii && c > 0x7E)) return "";
  if (c < 0x10000) return code_unit(c);
  return code_unit(0xD800 + ((c - 0x10000) >> 10)) + code_unit(0xDC00 + ((c - 0x10000) & 0x3FF));
}

class JsonWriter {
 public:
  JsonWriter(Runtime& rt, const JsonStyle& style) : rt_(rt), style_(style), out_(rt) {}

  Text write(const Value& value) {
    append(value, 0);
    return out_.take();
  }

 private:
  void append(const Value& value, int depth) {
    rt_.step();
    switch (value.kind) {
      case Kind::none:
        return out_.append("null", value.trusted);
      case Kind::boolean:
        return out_.append(value.integer != 0 ? "true" : "false", value.trusted);
      case Kind::integer:
        return out_.append(std::to_string(value.integer), value.trusted);
      case Kind::real:
        return out_.append(number(value), value.trusted);
      case Kind::string:
        return append_string(*value.text);
      case Kind::list:
        if (const Flavor flavor = as_list(value).flavor;
            flavor == Flavor::list || flavor == Flavor::tuple || flavor == Flavor::group) {
          return append_list(as_list(value), depth);
        }
        break;
      case Kind::dict:
        return append_dict(as_dict(value), depth);
      default:
        break;
    }
    rt_.fail(concat("object of type ", type_name(value), " is not JSON serializable"));
  }

  static std::string number(const Value& value) {
    if (value.text) return value.chars();
    if (std::isnan(value.real)) return "NaN";
    if (std::isinf(value.real)) return value.real < 0 ? "-Infinity" : "Infinity";
    return real_repr(value.real);
  }

  void append_string(const Text& text) {
    const bool trusted = text.trusted();
    out_.append("\"", trusted);
    for (size_t pos = 0; pos < text.size();) {
      const size_t begin = pos;
      const char32_t c = next_char(text.chars(), pos);
      const std::string escape = json_escape(c, style_.ensure_ascii);
      if (escape.empty()) {
        out_.append(text, begin, pos);
      } else {
        out_.append(escape, text.trusted(begin, pos));
      }
    }
    out_.append("\"", trusted);
  }

  void append_key(const Value& key) {
    switch (key.kind) {
      case Kind::string:
        return append_string(*key.text);
      case Kind::boolean:
        return append_string(Text(key.integer != 0 ? "true" : "false", key.trusted));
      case Kind::none:
        return append_string(Text("null", key.trusted));
      case Kind::integer:
        return append_string(Text(std::to_string(key.integer), key.trusted));
      case Kind::real:
        return append_string(Text(number(key), key.trusted));
      default:
        rt_.fail(concat("keys must be str, int, float, bool or None, not ", type_name(key)));
    }
  }

  // A separator or a line break belongs to the container's author, unless the caller chose its
  // text.
  void append_owned(const Text& text, bool trusted) {
    out_.append(text.chars(), trusted && text.trusted());
  }

  void break_line(int depth, bool trusted) {
    if (!style_.indented) return;
    out_.append("\n", trusted);
    for (int i = 0; i < depth; ++i) append_owned(style_.indent, trusted);
  }

  void append_list(const List& list, int depth) {
    const Runtime::Level level(rt_);
    if (list.items.empty()) return out_.append("[]", list.trusted);
    out_.append("[", list.trusted);
    for (size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0) append_owned(style_.item_separator, list.trusted);
      break_line(depth + 1, list.trusted);
      append(list.items[i], depth + 1);
    }
    break_line(depth, list.trusted);
    out_.append("]", list.trusted);
  }

  void append_dict(const Dict& dict, int depth) {
    const Runtime::Level level(rt_);
    if (dict.entries.empty()) return out_.append("{}", dict.trusted);
    auto entries = dict.entries;
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [&](const auto& a, const auto& b) { return less(rt_, a.first, b.first); });
    }
    out_.append("{", dict.trusted);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) append_owned(style_.item_separator, dict.trusted);
      break_line(depth + 1, dict.trusted);
      append_key(entries[i].first);
      append_owned(style_.key_separator, dict.trusted);
      append(entries[i].second, depth + 1);
    }
    break_line(depth, dict.trusted);
    out_.append("}", dict.trusted);
  }

  Runtime& rt_;
  const JsonStyle& style_;
  TextBuilder out_;
};

}  // namespace

Text to_json(Runtime& rt, const Value& value, const JsonStyle& style) {
  return JsonWriter(rt, style).write(value);
}

}  // namespace colonnade::text::jinja
