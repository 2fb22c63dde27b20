// Python's operators on template values.
#pragma once

#include <optional>

#include "colonnade/text/jinja_runtime.h"

namespace colonnade::text::jinja {

enum class Binary : uint8_t { add, subtract, multiply, divide, floor_divide, modulo, power };
enum class Compare : uint8_t {
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in
};

bool truthy(const Value& value);
bool equal(Runtime& rt, const Value& a, const Value& b);
/// a < b. Throws if the types have no order.
bool less(Runtime& rt, const Value& a, const Value& b);
/// item in container.
bool contains(Runtime& rt, const Value& container, const Value& item);
bool compare(Runtime& rt, Compare op, const Value& a, const Value& b);

Value binary(Runtime& rt, Binary op, const Value& a, const Value& b);
Value negate(Runtime& rt, const Value& a);
Value plus(Runtime& rt, const Value& a);
/// a + b; with markup on either side, the other is HTML-escaped first.
Value add(Runtime& rt, const Value& a, const Value& b);

/// base to a whole exponent; infinite if that is too large.
double power(double base, int64_t exponent);

/// len(value). Throws if the value has none.
int64_t length(Runtime& rt, const Value& value);

/// Half-open slice bounds as written; nullopt where left out.
struct Slice {
  std::optional<int64_t> start, stop, step;
};
Value slice(Runtime& rt, const Value& value, const Slice& bounds);

/// value[key]: item first, then attribute or method. Undefined if there is neither.
Value item(Runtime& rt, const Value& value, const Value& key);
/// value.name: attribute or method first, then item. Undefined if there is neither.
Value attribute(Runtime& rt, const Value& value, const std::string& name);

}  // namespace colonnade::text::jinja
