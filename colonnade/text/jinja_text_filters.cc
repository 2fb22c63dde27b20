// Filters that take a string. Declared in jinja_builtins.h.
#include <algorithm>
#include <cmath>

#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_format.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_strings.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

// The result of a string filter is markup if what went in was.
Value like(Runtime& rt, const Value& source, Text text) {
  Value made = rt.string(std::move(text));
  made.markup = source.is(Kind::string) && source.markup;
  return made;
}

template <Text (*change)(Runtime&, const Text&)>
Value change_text(Runtime& rt, const Value& self, const Bound&) {
  const Value text = soft_str(rt, self);
  return like(rt, text, change(rt, *text.text));
}

Value trim(Runtime& rt, const Value& self, const Bound& args) {
  const Value text = soft_str(rt, self);
  rt.text_work(text.text->size(), 0);
  return like(rt, text, strip(*text.text, args.text(0), Side::both));
}

Value replace_filter(Runtime& rt, const Value& self, const Bound& args) {
  const bool all = args.find(2) == nullptr || args[2].is(Kind::none);
  return rt.string(replace(rt, str(rt, self), str(rt, args[0]), str(rt, args[1]),
                           all ? -1 : args.integer(2, -1)));
}

bool starts_word(char32_t before) {
  return before == '-' || before == '(' || before == '{' || before == '[' || before == '<' ||
         is_space(before);
}

// Unlike str.title, the filter starts words only after white space and opening brackets.
Value title_filter(Runtime& rt, const Value& self, const Bound&) {
  const Value source = soft_str(rt, self);
  const Text& text = *source.text;
  TextBuilder out(rt);
  bool in_word = false;
  for (size_t pos = 0; pos < text.size();) {
    const size_t begin = pos;
    const char32_t c = next_char(text.chars(), pos);
    const bool separates = starts_word(c);
    out.append(separates || in_word ? to_lower(c) : to_upper(c), text.trusted(begin, pos));
    in_word = !separates;
  }
  return like(rt, source, out.take());
}

Value center(Runtime& rt, const Value& self, const Bound& args) {
  const Value text = soft_str(rt, self);
  return like(
      rt, text,
      pad(rt, *text.text, args.integer(0, 80), Text(" ", text.text->trusted()), Align::center));
}

Value indent(Runtime& rt, const Value& self, const Bound& args) {
  rt.need_defined(self);
  if (!self.is(Kind::string)) rt.fail(concat("indent: expected a string, got ", type_name(self)));
  const bool own = self.text->trusted();
  Text width;
  if (args.find(0) != nullptr && args[0].is(Kind::string)) {
    width = *args[0].text;
  } else {
    width = pad(rt, Text(), args.integer(0, 4), Text(" ", own), Align::left);
  }
  const bool first = args.boolean(1, false);
  const bool blank = args.boolean(2, false);
  Text source = *self.text;
  source.append("\n", own);
  const std::vector<Text> lines = split_lines(rt, source, false);
  TextBuilder out(rt);
  if (first) out.append(width);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) {
      out.append("\n", own);
      if (blank || !lines[i].empty()) out.append(width);
    }
    out.append(lines[i]);
  }
  return like(rt, self, out.take());
}

Value truncate(Runtime& rt, const Value& self, const Bound& args) {
  const Value source = soft_str(rt, self);
  const Text& text = *source.text;
  const int64_t length = args.integer(0, 255);
  const bool kill_words = args.boolean(1, false);
  const Text end = args.text(2) != nullptr ? *args.text(2) : Text("...", text.trusted());
  const int64_t leeway = args.find(3) == nullptr || args[3].is(Kind::none) ? 5 : args.integer(3, 5);
  const int64_t end_length = count_chars(end.chars());
  if (length < end_length)
    rt.fail(concat("truncate: expected length >= ", end_length, ", got ", length));
  if (leeway < 0) rt.fail(concat("truncate: expected leeway >= 0, got ", leeway));
  if (count_chars(text.chars()) <= length + leeway) return source;
  Text head = text.slice(0, byte_of_char(text.chars(), length - end_length));
  if (!kill_words) {
    const Text space(" ", true);
    head = split_right(rt, head, &space, 1)[0];
  }
  head.append(end);
  return like(rt, source, std::move(head));
}

Value word_count(Runtime& rt, const Value& self, const Bound&) {
  const Value text = soft_str(rt, self);
  int64_t words = 0;
  bool in_word = false;
  for (size_t pos = 0; pos < text.chars().size();) {
    const char32_t c = next_char(text.chars(), pos);
    const bool letter = is_alpha(c) || is_numeric(c) || c == '_';
    words += letter && !in_word;
    in_word = letter;
  }
  rt.text_work(text.chars().size(), 0);
  return make_integer(words, text.text->trusted());
}

Value escape_filter(Runtime& rt, const Value& self, const Bound&) { return escaped(rt, self); }

Value force_escape(Runtime& rt, const Value& self, const Bound&) {
  return escaped(rt, rt.string(str(rt, self)));
}

Value safe(Runtime& rt, const Value& self, const Bound&) {
  Value made = rt.string(str(rt, self));
  made.markup = true;
  return made;
}

Value string_filter(Runtime& rt, const Value& self, const Bound&) { return soft_str(rt, self); }

Value format_filter(Runtime& rt, const Value& self, const Args& args) {
  const Value text = soft_str(rt, self);
  if (!args.positional.empty() && !args.keyword.empty()) {
    rt.fail("format takes positional or keyword arguments, not both");
  }
  if (args.keyword.empty())
    return format_percent(rt, text, rt.list(args.positional, Flavor::tuple));
  const Value named = rt.dict();
  for (const auto& [name, value] : args.keyword)
    rt.set(as_dict(named), rt.string(name, true), value);
  return format_percent(rt, text, named);
}

Value url_encode(Runtime& rt, const Value& self, const Bound&) {
  if (!self.is(Kind::string)) rt.fail("urlencode is supported for strings only");
  const Text& text = *self.text;
  TextBuilder out(rt);
  for (size_t i = 0; i < text.size(); ++i) {
    constexpr char kHex[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(text.chars()[i]);
    const bool plain =
        byte < 0x80 && (std::isalnum(byte) ||
                        std::string_view("_.-~/").find(text.chars()[i]) != std::string_view::npos);
    if (plain) {
      out.append(text, i, i + 1);
    } else {
      out.append(std::string{'%', kHex[byte >> 4], kHex[byte & 15]}, text.trusted(i, i + 1));
    }
  }
  return out.value();
}

// A dict as attributes of HTML: ` key="value"`; what is None or undefined is left out.
Value xml_attributes(Runtime& rt, const Value& self, const Bound& args) {
  rt.need_defined(self);
  if (!self.is(Kind::dict)) rt.fail(concat("xmlattr: expected a mapping, got ", type_name(self)));
  const Dict& dict = as_dict(self);
  TextBuilder out(rt);
  bool space = args.find(0) == nullptr || truthy(args[0]);
  for (const auto& [name, value] : dict.entries) {
    if (value.is(Kind::none) || value.is(Kind::undefined)) continue;
    if (!name.is(Kind::string))
      rt.fail(concat("xmlattr: expected keys that are strings, got ", type_name(name)));
    if (name.chars().find_first_of(" \t\n\v\f\r/>=") != std::string::npos)
      rt.fail(concat("xmlattr: a key with white space, '/', '>' or '=': '", name.chars(), "'"));
    if (space) out.append(" ", dict.trusted);
    space = true;
    out.append(*escaped(rt, name).text);
    out.append("=\"", dict.trusted);
    out.append(*escaped(rt, value).text);
    out.append("\"", dict.trusted);
  }
  return out.value();
}

}  // namespace

const Builtin kTextFilters[] = {
    {"capitalize", "", change_text<capitalize>},
    {"center", ";width", center},
    {"e", "", escape_filter},
    {"escape", "", escape_filter},
    {"forceescape", "", force_escape},
    {"format", "*", nullptr, format_filter},
    {"indent", ";width,first,blank", indent},
    {"lower", "", change_text<lower>},
    {"replace", "old,new;count", replace_filter},
    {"safe", "", safe},
    {"string", "", string_filter},
    {"title", "", title_filter},
    {"trim", ";chars", trim},
    {"truncate", ";length,killwords,end,leeway", truncate},
    {"upper", "", change_text<upper>},
    {"urlencode", "", url_encode},
    {"wordcount", "", word_count},
    {"xmlattr", ";autospace", xml_attributes},
    {},
};

}  // namespace colonnade::text::jinja
