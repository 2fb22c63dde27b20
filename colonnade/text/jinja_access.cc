// Length, items, slices and attributes of values. Declared in jinja_operators.h.
#include <algorithm>

#include "colonnade/text/jinja_methods.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

struct Bounds {
  int64_t start, stop, step;
};

// Python's slice.indices.
Bounds resolve(Runtime& rt, const Slice& slice, int64_t length) {
  constexpr int64_t kFar = int64_t{1} << 40;  // beyond any list that fits in memory
  const int64_t step = std::clamp(slice.step.value_or(1), -kFar, kFar);
  if (step == 0) rt.fail("slice step cannot be zero");
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? length : length - 1;
  const auto clamp = [&](const std::optional<int64_t>& bound, int64_t absent) {
    if (!bound) return absent;
    return std::clamp(*bound < 0 ? *bound + length : *bound, low, high);
  };
  return {clamp(slice.start, step > 0 ? low : high), clamp(slice.stop, step > 0 ? high : low),
          step};
}

int64_t count_steps(const Bounds& b) {
  if (b.step > 0) return b.stop > b.start ? (b.stop - b.start - 1) / b.step + 1 : 0;
  return b.start > b.stop ? (b.start - b.stop - 1) / -b.step + 1 : 0;
}

Value slice_string(Runtime& rt, const Value& value, const Slice& bounds) {
  const Text& text = *value.text;
  std::vector<size_t> offsets;  // of each character, and the end
  for (size_t pos = 0; pos < text.size(); next_char(text.chars(), pos)) offsets.push_back(pos);
  offsets.push_back(text.size());
  rt.text_work(text.size(), 0);
  const Bounds b = resolve(rt, bounds, static_cast<int64_t>(offsets.size()) - 1);
  TextBuilder out(rt);
  if (b.step == 1) {
    if (b.start < b.stop) {
      out.append(text, offsets[static_cast<size_t>(b.start)], offsets[static_cast<size_t>(b.stop)]);
    }
  } else {
    const int64_t count = count_steps(b);
    for (int64_t i = 0; i < count; ++i) {
      const auto at = static_cast<size_t>(b.start + i * b.step);
      out.append(text, offsets[at], offsets[at + 1]);
    }
  }
  Value made = out.value();
  made.markup = value.markup;
  return made;
}

Value slice_list(Runtime& rt, const Value& value, const Slice& bounds) {
  const List& list = as_list(value);
  const Bounds b = resolve(rt, bounds, static_cast<int64_t>(list.items.size()));
  std::vector<Value> items;
  const int64_t count = count_steps(b);
  for (int64_t i = 0; i < count; ++i)
    items.push_back(list.items[static_cast<size_t>(b.start + i * b.step)]);
  Value made = rt.list(std::move(items), list.flavor, list.trusted);
  if (list.flavor == Flavor::range) {
    List& range = as_list(made);
    bool wide = __builtin_mul_overflow(list.step, b.step, &range.step);
    wide = __builtin_mul_overflow(list.step, b.start, &range.start) || wide;
    wide = __builtin_mul_overflow(list.step, b.stop, &range.stop) || wide;
    wide = __builtin_add_overflow(list.start, range.start, &range.start) || wide;
    wide = __builtin_add_overflow(list.start, range.stop, &range.stop) || wide;
    if (wide) rt.fail("the range is too wide: integers have 64 bits");
  }
  return made;
}

bool is_indexed(const Value& value) {
  if (!value.is(Kind::list)) return false;
  const Flavor flavor = as_list(value).flavor;
  return flavor == Flavor::list || flavor == Flavor::tuple || flavor == Flavor::range ||
         flavor == Flavor::group;
}

std::optional<Value> index(Runtime& rt, const Value& value, int64_t at) {
  if (is_indexed(value)) {
    const auto& items = as_list(value).items;
    if (at < 0) at += static_cast<int64_t>(items.size());
    if (at < 0 || at >= static_cast<int64_t>(items.size())) return std::nullopt;
    return items[static_cast<size_t>(at)];
  }
  const Text& text = *value.text;
  rt.text_work(text.size(), 0);
  if (at < 0) at += count_chars(text.chars());
  if (at < 0) return std::nullopt;
  const size_t begin = byte_of_char(text.chars(), at);
  if (begin >= text.size()) return std::nullopt;
  size_t end = begin;
  next_char(text.chars(), end);
  Value made = rt.string(text.slice(begin, end));
  made.markup = value.markup;
  return made;
}

std::optional<Value> subscript(Runtime& rt, const Value& value, const Value& key) {
  if (value.is(Kind::dict)) {
    const std::string name = dict_key(key);
    const Value* found = name.empty() ? nullptr : as_dict(value).find(name);
    return found != nullptr ? std::optional<Value>(*found) : std::nullopt;
  }
  if ((is_indexed(value) || value.is(Kind::string)) && key.is_integer())
    return index(rt, value, key.integer);
  return std::nullopt;
}

Value missing(const Value& value, const Value& key) {
  if (key.is(Kind::string)) {
    const std::string owner =
        value.is(Kind::none) ? "None" : concat("'", type_name(value), " object'");
    return make_undefined(concat(owner, " has no attribute '", key.chars(), "'"));
  }
  if (key.is_integer()) {
    return make_undefined(concat("'", type_name(value), " object' has no element ", key.integer));
  }
  return make_undefined(concat("'", type_name(value), " object' has no such element"));
}

}  // namespace

int64_t length(Runtime& rt, const Value& value) {
  switch (value.kind) {
    case Kind::undefined:
      return 0;
    case Kind::string:
      rt.text_work(value.text->size(), 0);
      return count_chars(value.chars());
    case Kind::dict:
      return static_cast<int64_t>(as_dict(value).entries.size());
    case Kind::loop:
      return static_cast<int64_t>(static_cast<Loop&>(*value.object).count);
    case Kind::list:
      if (as_list(value).flavor != Flavor::iterator)
        return static_cast<int64_t>(as_list(value).items.size());
      [[fallthrough]];
    default:
      rt.fail(concat("object of type '", type_name(value), "' has no length"));
  }
}

Value slice(Runtime& rt, const Value& value, const Slice& bounds) {
  rt.need_defined(value);
  if (value.is(Kind::string)) return slice_string(rt, value, bounds);
  if (is_indexed(value)) return slice_list(rt, value, bounds);
  return make_undefined(concat("'", type_name(value), " object' cannot be sliced"));
}

Value item(Runtime& rt, const Value& value, const Value& key) {
  rt.need_defined(value);
  if (const auto found = subscript(rt, value, key)) return *found;
  if (key.is(Kind::string)) {
    if (const auto found = find_attribute(rt, value, key.chars())) return *found;
  }
  return missing(value, key);
}

Value attribute(Runtime& rt, const Value& value, const std::string& name) {
  rt.need_defined(value);
  if (const auto found = find_attribute(rt, value, name)) return *found;
  const Value key = make_string(name, true);
  if (const auto found = subscript(rt, value, key)) return *found;
  return missing(value, key);
}

}  // namespace colonnade::text::jinja
