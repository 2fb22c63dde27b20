// Methods of strings. Declared in jinja_method_tables.h.
#include <algorithm>

#include "colonnade/text/jinja_collections.h"
#include "colonnade/text/jinja_format.h"
#include "colonnade/text/jinja_method_tables.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_strings.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

Value like(Runtime& rt, const Value& self, Text text) {
  Value made = rt.string(std::move(text));
  made.markup = self.markup;
  return made;
}

Value list_of(Runtime& rt, const Value& self, std::vector<Text> parts,
              Flavor flavor = Flavor::list) {
  std::vector<Value> items;
  for (Text& part : parts) items.push_back(like(rt, self, std::move(part)));
  return rt.list(std::move(items), flavor, self.text->trusted());
}

const Text& needed(Runtime& rt, const Bound& args, size_t i) {
  if (args.text(i) == nullptr) rt.fail("expected a string, got None");
  return *args.text(i);
}

template <Text (*change)(Runtime&, const Text&)>
Value change_text(Runtime& rt, const Value& self, const Bound&) {
  return like(rt, self, change(rt, *self.text));
}

template <Side kSide>
Value strip_method(Runtime& rt, const Value& self, const Bound& args) {
  rt.text_work(self.text->size(), 0);
  return like(rt, self, strip(*self.text, args.text(0), kSide));
}

Value split_method(Runtime& rt, const Value& self, const Bound& args) {
  return list_of(rt, self, split(rt, *self.text, args.text(0), args.integer(1, -1)));
}

Value rsplit_method(Runtime& rt, const Value& self, const Bound& args) {
  return list_of(rt, self, split_right(rt, *self.text, args.text(0), args.integer(1, -1)));
}

Value splitlines_method(Runtime& rt, const Value& self, const Bound& args) {
  return list_of(rt, self, split_lines(rt, *self.text, args.boolean(0, false)));
}

Value join_method(Runtime& rt, const Value& self, const Bound& args) {
  std::vector<Text> parts;
  for (const Value& item : rt.iterate(args[0])) {
    if (!item.is(Kind::string)) {
      rt.fail(concat("join: item ", parts.size(), ": expected a string, got ", type_name(item)));
    }
    parts.push_back(self.markup ? *escaped(rt, item).text : *item.text);
  }
  return like(rt, self, join(rt, *self.text, parts));
}

Value replace_method(Runtime& rt, const Value& self, const Bound& args) {
  const Text& old = needed(rt, args, 0);
  needed(rt, args, 1);
  const Text by = self.markup ? *escaped(rt, args[1]).text : *args.text(1);
  return like(rt, self, replace(rt, *self.text, old, by, args.integer(2, -1)));
}

// The part of the string that [start, end) in characters means, as byte offsets.
std::pair<size_t, size_t> range_of(Runtime& rt, const Text& text, const Bound& args, size_t first) {
  const int64_t count = count_chars(text.chars());
  rt.text_work(text.size(), 0);
  const auto bound = [&](size_t i, int64_t absent) {
    const bool given = args.find(i) != nullptr && !args[i].is(Kind::none);
    const int64_t at = given ? args.integer(i, absent) : absent;
    return at < 0 ? std::max<int64_t>(0, at + count) : at;
  };
  const int64_t start = bound(first, 0);
  const int64_t end = std::min(bound(first + 1, count), count);
  if (start > end) return {1, 0};
  return {byte_of_char(text.chars(), start), byte_of_char(text.chars(), end)};
}

template <bool kAtStart>
Value affix(Runtime& rt, const Value& self, const Bound& args) {
  const auto [begin, end] = range_of(rt, *self.text, args, 1);
  std::vector<Value> candidates{args[0]};
  if (args[0].is(Kind::list) && as_list(args[0]).flavor == Flavor::tuple)
    candidates = as_list(args[0]).items;
  for (const Value& candidate : candidates) {
    rt.need_defined(candidate);
    if (!candidate.is(Kind::string)) {
      rt.fail(concat("startswith and endswith need a string or a tuple of strings, not ",
                     type_name(candidate)));
    }
    if (begin > end) continue;
    const auto part = std::string_view(self.chars()).substr(begin, end - begin);
    if (kAtStart ? part.starts_with(candidate.chars()) : part.ends_with(candidate.chars()))
      return make_boolean(true);
  }
  return make_boolean(false);
}

enum class Missing : uint8_t { minus_one, error };

template <bool kFromRight, Missing kMissing>
Value find_method(Runtime& rt, const Value& self, const Bound& args) {
  const Text& what = needed(rt, args, 0);
  const auto [begin, end] = range_of(rt, *self.text, args, 1);
  if (begin <= end) {
    const auto part = std::string_view(self.chars()).substr(begin, end - begin);
    const size_t at = kFromRight ? part.rfind(what.chars()) : part.find(what.chars());
    if (at != std::string_view::npos) {
      return make_integer(count_chars(std::string_view(self.chars()).substr(0, begin + at)),
                          self.text->trusted());
    }
  }
  if (kMissing == Missing::error) rt.fail("substring not found");
  return make_integer(-1, self.text->trusted());
}

Value count_method(Runtime& rt, const Value& self, const Bound& args) {
  const Text& what = needed(rt, args, 0);
  const auto [begin, end] = range_of(rt, *self.text, args, 1);
  if (begin > end) return make_integer(0);
  const auto part = std::string_view(self.chars()).substr(begin, end - begin);
  int64_t found = what.empty() ? count_chars(part) + 1 : 0;
  for (size_t at = 0; !what.empty() && (at = part.find(what.chars(), at)) != std::string_view::npos;
       at += what.size()) {
    ++found;
  }
  return make_integer(found, self.text->trusted());
}

template <bool kFromRight>
Value partition(Runtime& rt, const Value& self, const Bound& args) {
  const Text& separator = needed(rt, args, 0);
  if (separator.empty()) rt.fail("empty separator");
  const Text& text = *self.text;
  const size_t at =
      kFromRight ? text.chars().rfind(separator.chars()) : text.chars().find(separator.chars());
  std::vector<Text> parts{text, Text(), Text()};
  if (at != std::string::npos) {
    parts = {text.slice(0, at), text.slice(at, at + separator.size()),
             text.slice(at + separator.size(), text.size())};
  } else if (kFromRight) {
    std::swap(parts[0], parts[2]);
  }
  return list_of(rt, self, std::move(parts), Flavor::tuple);
}

Value remove_prefix(Runtime& rt, const Value& self, const Bound& args) {
  const Text& prefix = needed(rt, args, 0);
  if (!self.chars().starts_with(prefix.chars())) return self;
  return like(rt, self, self.text->slice(prefix.size(), self.text->size()));
}

Value remove_suffix(Runtime& rt, const Value& self, const Bound& args) {
  const Text& suffix = needed(rt, args, 0);
  if (!self.chars().ends_with(suffix.chars())) return self;
  return like(rt, self, self.text->slice(0, self.text->size() - suffix.size()));
}

template <Align kAlign>
Value pad_method(Runtime& rt, const Value& self, const Bound& args) {
  const Text fill = args.find(1) == nullptr ? Text(" ", self.text->trusted()) : needed(rt, args, 1);
  return like(rt, self, pad(rt, *self.text, args.integer(0, 0), fill, kAlign));
}

Value zero_fill(Runtime& rt, const Value& self, const Bound& args) {
  const Text& text = *self.text;
  const size_t sign = !text.empty() && (text.chars()[0] == '-' || text.chars()[0] == '+') ? 1 : 0;
  Text out = text.slice(0, sign);
  const Text rest = text.slice(sign, text.size());
  out.append(pad(rt, rest, args.integer(0, 0) - static_cast<int64_t>(sign),
                 Text("0", text.trusted()), Align::right));
  return like(rt, self, std::move(out));
}

Value expand_tabs(Runtime& rt, const Value& self, const Bound& args) {
  const int64_t width = args.integer(0, 8);
  const Text& text = *self.text;
  TextBuilder out(rt);
  int64_t column = 0;
  for (size_t pos = 0; pos < text.size();) {
    const size_t begin = pos;
    const char32_t c = next_char(text.chars(), pos);
    if (c != '\t') {
      out.append(text, begin, pos);
      column = c == '\n' || c == '\r' ? 0 : column + 1;
      continue;
    }
    const int64_t spaces = width > 0 ? width - column % width : 0;
    for (int64_t i = 0; i < spaces; ++i) out.append(" ", text.trusted(begin, pos));
    column += spaces;
  }
  return like(rt, self, out.take());
}

Value format_method(Runtime& rt, const Value& self, const Args& args) {
  return format_braces(rt, self, args);
}

/// format(**mapping), for keys that are strings: a field has no other name.
Value format_map_method(Runtime& rt, const Value& self, const Bound& args) {
  if (!args[0].is(Kind::dict)) rt.fail(concat("format_map needs a dict, not ", type_name(args[0])));
  rt.step(static_cast<int64_t>(as_dict(args[0]).entries.size()));
  Args named;
  for (const auto& [key, value] : as_dict(args[0]).entries) {
    if (key.is(Kind::string)) named.keyword.emplace_back(key.chars(), value);
  }
  return format_braces(rt, self, named);
}

bool is_alnum(char32_t c) { return is_alpha(c) || is_decimal(c) || is_digit(c) || is_numeric(c); }

template <bool (*test)(char32_t)>
Value all_are(Runtime& rt, const Value& self, const Bound&) {
  rt.text_work(self.text->size(), 0);
  return make_boolean(all_chars(*self.text, test));
}

Value is_ascii(Runtime&, const Value& self, const Bound&) {
  return make_boolean(std::all_of(self.chars().begin(), self.chars().end(),
                                  [](char c) { return (c & 0x80) == 0; }));
}

Value printable(Runtime&, const Value& self, const Bound&) {
  return make_boolean(self.text->empty() || all_chars(*self.text, is_printable));
}

Value lower_test(Runtime&, const Value& self, const Bound&) {
  return make_boolean(is_lower_text(*self.text));
}
Value upper_test(Runtime&, const Value& self, const Bound&) {
  return make_boolean(is_upper_text(*self.text));
}

// Letters with a case begin words, and only they are in capitals (or title case).
Value title_test(Runtime& rt, const Value& self, const Bound&) {
  rt.text_work(self.text->size(), 0);
  bool any = false, in_word = false;
  for (size_t pos = 0; pos < self.text->size();) {
    const char32_t c = next_char(self.chars(), pos);
    const bool large = is_upper(c) || is_title(c);
    if ((large && in_word) || (is_lower(c) && !in_word)) return make_boolean(false);
    in_word = large || is_lower(c);
    any = any || in_word;
  }
  return make_boolean(any);
}

}  // namespace

const Builtin kStringMethods[] = {
    {"capitalize", "", change_text<capitalize>},
    {"casefold", "", change_text<fold_case>},
    {"center", "width;fillchar", pad_method<Align::center>},
    {"count", "sub;start,end", count_method},
    {"endswith", "suffix;start,end", affix<false>},
    {"expandtabs", ";tabsize", expand_tabs},
    {"find", "sub;start,end", find_method<false, Missing::minus_one>},
    {"format", "*", nullptr, format_method},
    {"format_map", "mapping", format_map_method},
    {"index", "sub;start,end", find_method<false, Missing::error>},
    {"isalnum", "", all_are<is_alnum>},
    {"isalpha", "", all_are<is_alpha>},
    {"isascii", "", is_ascii},
    {"isdecimal", "", all_are<is_decimal>},
    {"isdigit", "", all_are<is_digit>},
    {"islower", "", lower_test},
    {"isnumeric", "", all_are<is_numeric>},
    {"isprintable", "", printable},
    {"isspace", "", all_are<is_space>},
    {"istitle", "", title_test},
    {"isupper", "", upper_test},
    {"join", "iterable", join_method},
    {"ljust", "width;fillchar", pad_method<Align::left>},
    {"lower", "", change_text<lower>},
    {"lstrip", ";chars", strip_method<Side::left>},
    {"partition", "sep", partition<false>},
    {"removeprefix", "prefix", remove_prefix},
    {"removesuffix", "suffix", remove_suffix},
    {"replace", "old,new;count", replace_method},
    {"rfind", "sub;start,end", find_method<true, Missing::minus_one>},
    {"rindex", "sub;start,end", find_method<true, Missing::error>},
    {"rjust", "width;fillchar", pad_method<Align::right>},
    {"rpartition", "sep", partition<true>},
    {"rsplit", ";sep,maxsplit", rsplit_method},
    {"rstrip", ";chars", strip_method<Side::right>},
    {"split", ";sep,maxsplit", split_method},
    {"splitlines", ";keepends", splitlines_method},
    {"startswith", "prefix;start,end", affix<true>},
    {"strip", ";chars", strip_method<Side::both>},
    {"swapcase", "", change_text<swap_case>},
    {"title", "", change_text<title>},
    {"upper", "", change_text<upper>},
    {"zfill", "width", zero_fill},
    {},
};

}  // namespace colonnade::text::jinja
