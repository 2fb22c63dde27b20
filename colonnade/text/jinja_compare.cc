// Truth, equality, order and membership, as Python has them. Declared in jinja_operators.h.
#include <algorithm>
#include <cmath>

#include "colonnade/text/jinja_operators.h"

namespace colonnade::text::jinja {
namespace {

bool equal_lists(Runtime& rt, const List& a, const List& b) {
  if (a.flavor != b.flavor || a.flavor == Flavor::iterator || a.flavor == Flavor::values)
    return &a == &b;
  if (a.items.size() != b.items.size()) return false;
  const Runtime::Level level(rt);
  for (size_t i = 0; i < a.items.size(); ++i) {
    if (!equal(rt, a.items[i], b.items[i])) return false;
  }
  return true;
}

bool equal_dicts(Runtime& rt, const Dict& a, const Dict& b) {
  if (a.entries.size() != b.entries.size()) return false;
  const Runtime::Level level(rt);
  for (const auto& [name, value] : a.entries) {
    const Value* other = b.find(dict_key(name));
    if (other == nullptr || !equal(rt, value, *other)) return false;
  }
  return true;
}

// Exact even where a double cannot hold the integer.
int compare_numbers(const Value& a, const Value& b) {
  if (a.is_integer() && b.is_integer()) return a.integer < b.integer ? -1 : a.integer > b.integer;
  if (a.is(Kind::real) && b.is(Kind::real)) return a.real < b.real ? -1 : a.real > b.real;
  if (a.is(Kind::real)) return -compare_numbers(b, a);
  constexpr double kTwo63 = 9223372036854775808.0;
  if (b.real >= kTwo63) return -1;
  if (b.real < -kTwo63) return 1;
  const double whole = std::floor(b.real);
  const auto near = static_cast<int64_t>(whole);
  if (a.integer != near) return a.integer < near ? -1 : 1;
  return b.real > whole ? -1 : 0;
}

bool is_nan(const Value& value) { return value.is(Kind::real) && std::isnan(value.real); }

bool less_lists(Runtime& rt, const List& a, const List& b) {
  const Runtime::Level level(rt);
  for (size_t i = 0; i < std::min(a.items.size(), b.items.size()); ++i) {
    if (!equal(rt, a.items[i], b.items[i])) return less(rt, a.items[i], b.items[i]);
  }
  return a.items.size() < b.items.size();
}

}  // namespace

bool truthy(const Value& value) {
  switch (value.kind) {
    case Kind::undefined:
    case Kind::none:
      return false;
    case Kind::boolean:
    case Kind::integer:
      return value.integer != 0;
    case Kind::real:
      return value.real != 0;
    case Kind::string:
      return !value.text->empty();
    case Kind::list:
      return as_list(value).flavor == Flavor::iterator || !as_list(value).items.empty();
    case Kind::dict:
      return !as_dict(value).entries.empty();
    default:
      return true;
  }
}

bool equal(Runtime& rt, const Value& a, const Value& b) {
  rt.step();
  if (a.is_number() && b.is_number()) {
    return !is_nan(a) && !is_nan(b) && compare_numbers(a, b) == 0;
  }
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::undefined:
    case Kind::none:
      return true;
    case Kind::string:
      rt.text_work(std::min(a.text->size(), b.text->size()), 0);
      return a.chars() == b.chars();
    case Kind::list:
      return equal_lists(rt, as_list(a), as_list(b));
    case Kind::dict:
      return equal_dicts(rt, as_dict(a), as_dict(b));
    default:
      return a.object == b.object;
  }
}

bool less(Runtime& rt, const Value& a, const Value& b) {
  rt.step();
  if (a.is_number() && b.is_number()) {
    return !is_nan(a) && !is_nan(b) && compare_numbers(a, b) < 0;
  }
  if (a.is(Kind::string) && b.is(Kind::string)) {
    rt.text_work(std::min(a.text->size(), b.text->size()), 0);
    return a.chars() < b.chars();
  }
  if (a.is(Kind::list) && b.is(Kind::list) && as_list(a).flavor == as_list(b).flavor &&
      (as_list(a).flavor == Flavor::list || as_list(a).flavor == Flavor::tuple)) {
    return less_lists(rt, as_list(a), as_list(b));
  }
  rt.need_defined(a);
  rt.need_defined(b);
  rt.fail(concat("'", type_name(a), "' and '", type_name(b), "' have no order"));
}

bool contains(Runtime& rt, const Value& container, const Value& item) {
  switch (container.kind) {
    case Kind::string:
      if (!item.is(Kind::string)) {
        rt.fail(concat("'in <string>' requires a string as left operand, not ", type_name(item)));
      }
      rt.text_work(container.text->size(), 0);
      return container.chars().find(item.chars()) != std::string::npos;
    case Kind::dict: {
      const std::string key = dict_key(item);
      if (key.empty()) rt.fail(concat("unhashable type: '", type_name(item), "'"));
      return as_dict(container).find(key) != nullptr;
    }
    default:
      for (const Value& candidate : rt.iterate(container)) {
        if (equal(rt, candidate, item)) return true;
      }
      return false;
  }
}

bool compare(Runtime& rt, Compare op, const Value& a, const Value& b) {
  switch (op) {
    case Compare::equal:
      return equal(rt, a, b);
    case Compare::not_equal:
      return !equal(rt, a, b);
    case Compare::less:
      return less(rt, a, b);
    case Compare::greater:
      return less(rt, b, a);
    case Compare::less_equal:
      return less(rt, a, b) || equal(rt, a, b);
    case Compare::greater_equal:
      return less(rt, b, a) || equal(rt, a, b);
    case Compare::in:
      return contains(rt, b, a);
    case Compare::not_in:
      return !contains(rt, b, a);
  }
  return false;
}

}  // namespace colonnade::text::jinja
