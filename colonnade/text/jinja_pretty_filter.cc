// The filter pprint: Python's pprint.pformat with its defaults (80 columns, keys sorted). Declared
// in jinja_builtins.h. Source: Python documentation, module pprint.
#include <algorithm>

#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_strings.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

constexpr int64_t kWidth = 80;  // columns

bool is_pretty_list(const Value& value) {
  if (!value.is(Kind::list)) return false;
  const Flavor flavor = as_list(value).flavor;
  return flavor == Flavor::list || flavor == Flavor::tuple || flavor == Flavor::group;
}

// Numbers among themselves, strings among themselves; keys of different kinds by their type's name.
bool key_before(Runtime& rt, const Value& a, const Value& b) {
  const bool alike = a.is_number() ? b.is_number() : a.kind == b.kind;
  if (alike && !a.is(Kind::none)) return less(rt, a, b);
  return type_name(a) < type_name(b);
}

// The same value with the keys of every dict in order.
Value with_sorted_keys(Runtime& rt, const Value& value) {
  const Runtime::Level level(rt);
  if (is_pretty_list(value)) {
    const List& list = as_list(value);
    std::vector<Value> items;
    for (const Value& item : list.items) items.push_back(with_sorted_keys(rt, item));
    return rt.list(std::move(items), list.flavor, list.trusted);
  }
  if (!value.is(Kind::dict)) return value;
  auto entries = as_dict(value).entries;
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto& a, const auto& b) { return key_before(rt, a.first, b.first); });
  const Value made = rt.dict(as_dict(value).trusted);
  for (const auto& [name, item] : entries) rt.set(as_dict(made), name, with_sorted_keys(rt, item));
  return made;
}

class PrettyPrinter {
 public:
  PrettyPrinter(Runtime& rt, TextBuilder& out) : rt_(rt), out_(out) {}

  /// Writes `value` whose first character stands in column `indent`; `allowance` columns behind it
  /// are taken.
  void print(const Value& value, int64_t indent, int64_t allowance, int depth = 0) {
    const Runtime::Level level(rt_);
    const Text whole = repr(rt_, value);
    if (count_chars(whole.chars()) > kWidth - indent - allowance) {
      if (is_pretty_list(value)) return print_list(as_list(value), indent, allowance, depth);
      if (value.is(Kind::dict)) return print_dict(as_dict(value), indent, allowance, depth);
      if (value.is(Kind::string) && !value.markup && !value.text->empty())
        return print_string(*value.text, indent, allowance, depth == 0);
    }
    out_.append(whole);
  }

 private:
  void new_line(int64_t indent, bool trusted) {
    out_.append("\n" + std::string(static_cast<size_t>(indent), ' '), trusted);
  }

  void print_list(const List& list, int64_t indent, int64_t allowance, int depth) {
    const bool tuple = list.flavor != Flavor::list;
    const std::string_view close = !tuple ? "]" : list.items.size() == 1 ? ",)" : ")";
    out_.append(tuple ? "(" : "[", list.trusted);
    for (size_t i = 0; i < list.items.size(); ++i) {
      const bool last = i + 1 == list.items.size();
      print(list.items[i], indent + 1, last ? allowance + static_cast<int64_t>(close.size()) : 1,
            depth + 1);
      if (last) break;
      out_.append(",", list.trusted);
      new_line(indent + 1, list.trusted);
    }
    out_.append(close, list.trusted);
  }

  void print_dict(const Dict& dict, int64_t indent, int64_t allowance, int depth) {
    out_.append("{", dict.trusted);
    for (size_t i = 0; i < dict.entries.size(); ++i) {
      const auto& [name, item] = dict.entries[i];
      const bool last = i + 1 == dict.entries.size();
      const Text key = repr(rt_, name);
      out_.append(key);
      out_.append(": ", dict.trusted);
      print(item, indent + 1 + count_chars(key.chars()) + 2, last ? allowance + 1 : 1, depth + 1);
      if (last) break;
      out_.append(",", dict.trusted);
      new_line(indent + 1, dict.trusted);
    }
    out_.append("}", dict.trusted);
  }

  int64_t width_of(const Text& text) { return count_chars(repr(rt_, rt_.string(text)).chars()); }

  // Literals below each other that Python would join: at ends of lines, and between words where a
  // line is too long.
  void print_string(const Text& text, int64_t indent, int64_t allowance, bool bare) {
    indent += bare;
    allowance += bare;
    std::vector<Text> chunks;
    const std::vector<Text> lines = split_lines(rt_, text, true);
    for (size_t i = 0; i < lines.size(); ++i) {
      const bool last = i + 1 == lines.size();
      if (width_of(lines[i]) <= kWidth - indent - (last ? allowance : 0)) {
        chunks.push_back(lines[i]);
      } else {
        break_line(lines[i], kWidth - indent, last ? allowance : 0, chunks);
      }
    }
    const bool own = text.trusted();
    const bool brackets = bare && chunks.size() > 1;
    if (brackets) out_.append("(", own);
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (i > 0) new_line(indent, own);
      out_.append(repr(rt_, rt_.string(chunks[i])));
    }
    if (brackets) out_.append(")", own);
  }

  void break_line(const Text& line, int64_t width, int64_t allowance, std::vector<Text>& chunks) {
    Text current;
    for (size_t begin = 0; begin < line.size();) {
      const size_t end = end_of_word(line.chars(), begin);
      Text candidate = current;
      candidate.append(line, begin, end);
      if (width_of(candidate) <= width - (end == line.size() ? allowance : 0)) {
        current = std::move(candidate);
      } else {
        if (!current.empty()) chunks.push_back(current);
        current = line.slice(begin, end);
      }
      begin = end;
    }
    if (!current.empty()) chunks.push_back(std::move(current));
  }

  // Behind the characters from `begin` that are no white space, and the white space that follows
  // them.
  static size_t end_of_word(std::string_view chars, size_t begin) {
    size_t end = begin;
    for (bool in_word = true; end < chars.size();) {
      size_t next = end;
      const bool space = is_space(next_char(chars, next));
      if (!in_word && !space) break;
      in_word = in_word && !space;
      end = next;
    }
    return end;
  }

  Runtime& rt_;
  TextBuilder& out_;
};

Value pretty(Runtime& rt, const Value& self, const Bound&) {
  TextBuilder out(rt);
  PrettyPrinter(rt, out).print(with_sorted_keys(rt, self), 0, 0);
  return out.value();
}

}  // namespace

const Builtin kPrettyFilters[] = {
    {"pprint", "", pretty},
    {},
};

}  // namespace colonnade::text::jinja
