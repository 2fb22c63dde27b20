#include "colonnade/text/jinja_operators.h"

#include <cmath>

#include "colonnade/text/jinja_format.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_unicode.h"

namespace colonnade::text::jinja {
namespace {

[[noreturn]] void unsupported(Runtime& rt, std::string_view op, const Value& a, const Value& b) {
  rt.need_defined(a);
  rt.need_defined(b);
  rt.fail(concat("unsupported operand types for ", op, ": '", type_name(a), "' and '", type_name(b),
                 "'"));
}

int64_t checked(Runtime& rt, bool overflow, int64_t result) {
  if (overflow) rt.fail("the result is too large: integers have 64 bits");
  return result;
}

int64_t floor_divide(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

double floor_modulo(double a, double b) {
  const double r = std::fmod(a, b);
  if (r == 0) return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

int64_t integer_power(Runtime& rt, int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (exponent > 0) {
    if (exponent & 1) {
      const bool over = __builtin_mul_overflow(result, base, &result);
      checked(rt, over, result);
    }
    exponent >>= 1;
    if (exponent > 0) {
      const bool over = __builtin_mul_overflow(base, base, &base);
      checked(rt, over, base);
    }
  }
  return result;
}

Value integer_binary(Runtime& rt, Binary op, int64_t a, int64_t b, bool trusted) {
  int64_t r = 0;
  bool over = false;
  switch (op) {
    case Binary::add:
      over = __builtin_add_overflow(a, b, &r);
      break;
    case Binary::subtract:
      over = __builtin_sub_overflow(a, b, &r);
      break;
    case Binary::multiply:
      over = __builtin_mul_overflow(a, b, &r);
      break;
    case Binary::divide:
      return make_real(static_cast<double>(a) / static_cast<double>(b), trusted);
    case Binary::floor_divide:
      over = a == INT64_MIN && b == -1;
      r = over ? 0 : floor_divide(a, b);
      break;
    case Binary::modulo:
      r = b == -1 ? 0 : a - b * floor_divide(a, b);
      break;
    case Binary::power:
      if (b < 0) return make_real(power(static_cast<double>(a), b), trusted);
      r = integer_power(rt, a, b);
      break;
  }
  return make_integer(checked(rt, over, r), trusted);
}

Value real_binary(Runtime& rt, Binary op, double a, double b, bool trusted) {
  switch (op) {
    case Binary::add:
      return make_real(a + b, trusted);
    case Binary::subtract:
      return make_real(a - b, trusted);
    case Binary::multiply:
      return make_real(a * b, trusted);
    case Binary::divide:
      return make_real(a / b, trusted);
    case Binary::floor_divide: {
      // As Python does it: from the exact remainder, so 1 // 0.1 is 9.
      const double quotient = std::floor((a - floor_modulo(a, b)) / b + 0.5);
      return make_real(quotient == 0 ? std::copysign(0.0, a / b) : quotient, trusted);
    }
    case Binary::modulo:
      return make_real(floor_modulo(a, b), trusted);
    case Binary::power: {
      constexpr double kLargestExponent = 1e15;
      if (b != std::floor(b) || std::fabs(b) > kLargestExponent)
        rt.fail("** takes whole exponents only");
      const double r = power(a, static_cast<int64_t>(b));
      if (std::isinf(r) && std::isfinite(a)) rt.fail("the result is too large");
      return make_real(r, trusted);
    }
  }
  return {};
}

Value arithmetic(Runtime& rt, Binary op, const Value& a, const Value& b) {
  const bool trusted = a.trusted && b.trusted;
  const bool divides = op == Binary::divide || op == Binary::floor_divide || op == Binary::modulo;
  const bool negative_power = op == Binary::power && b.as_real() < 0 && a.as_real() == 0;
  if ((divides && b.as_real() == 0) || negative_power) rt.fail("division by zero");
  if (a.is_integer() && b.is_integer())
    return integer_binary(rt, op, a.integer, b.integer, trusted);
  return real_binary(rt, op, a.as_real(), b.as_real(), trusted);
}

Value repeat(Runtime& rt, const Value& value, int64_t count) {
  if (count < 0) count = 0;
  if (value.is(Kind::string)) {
    TextBuilder out(rt);
    if (value.text->empty()) count = 0;
    for (int64_t i = 0; i < count; ++i) out.append(*value.text);
    Value made = out.value();
    made.markup = value.markup;
    return made;
  }
  const List& list = as_list(value);
  std::vector<Value> items;
  if (list.items.empty()) count = 0;
  for (int64_t i = 0; i < count; ++i) {
    rt.charge(static_cast<int64_t>(list.items.size() * sizeof(Value)));
    items.insert(items.end(), list.items.begin(), list.items.end());
  }
  return rt.list(std::move(items), list.flavor, list.trusted);
}

bool is_plain_list(const Value& value) {
  return value.is(Kind::list) &&
         (as_list(value).flavor == Flavor::list || as_list(value).flavor == Flavor::tuple);
}

Value multiply(Runtime& rt, const Value& a, const Value& b) {
  const auto repeats = [](const Value& value) {
    return value.is(Kind::string) || is_plain_list(value);
  };
  if (repeats(a) && b.is_integer()) return repeat(rt, a, b.integer);
  if (repeats(b) && a.is_integer()) return repeat(rt, b, a.integer);
  unsupported(rt, "*", a, b);
}

}  // namespace

double power(double base, int64_t exponent) {
  // More digits than the result has, so that the roundings of the squarings do not show.
  long double square = base;
  long double result = 1;
  const auto size = static_cast<uint64_t>(exponent);
  for (uint64_t rest = exponent < 0 ? 0 - size : size; rest > 0; rest >>= 1) {
    if (rest & 1) result *= square;
    square *= square;
  }
  return static_cast<double>(exponent < 0 ? 1 / result : result);
}

Value add(Runtime& rt, const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return arithmetic(rt, Binary::add, a, b);
  if (a.is(Kind::string) && b.is(Kind::string)) {
    const bool markup = a.markup || b.markup;
    TextBuilder out(rt);
    out.append(*(markup ? escaped(rt, a) : a).text);
    out.append(*(markup ? escaped(rt, b) : b).text);
    Value made = out.value();
    made.markup = markup;
    return made;
  }
  if (is_plain_list(a) && is_plain_list(b) && as_list(a).flavor == as_list(b).flavor) {
    std::vector<Value> items;
    items.reserve(as_list(a).items.size() + as_list(b).items.size());
    for (const Value& part : {a, b}) {
      items.insert(items.end(), as_list(part).items.begin(), as_list(part).items.end());
    }
    return rt.list(std::move(items), as_list(a).flavor, as_list(a).trusted && as_list(b).trusted);
  }
  unsupported(rt, "+", a, b);
}

Value binary(Runtime& rt, Binary op, const Value& a, const Value& b) {
  if (op == Binary::add) return add(rt, a, b);
  if (op == Binary::modulo && a.is(Kind::string)) return format_percent(rt, a, b);
  if (a.is_number() && b.is_number()) return arithmetic(rt, op, a, b);
  if (op == Binary::multiply) return multiply(rt, a, b);
  constexpr std::string_view kNames[] = {"+", "-", "*", "/", "//", "%", "**"};
  unsupported(rt, kNames[static_cast<int>(op)], a, b);
}

Value negate(Runtime& rt, const Value& a) {
  rt.need_defined(a);
  if (a.is(Kind::real)) return make_real(-a.real, a.trusted);
  if (!a.is_integer()) rt.fail(concat("bad operand type for unary -: '", type_name(a), "'"));
  return make_integer(checked(rt, a.integer == INT64_MIN, a.integer == INT64_MIN ? 0 : -a.integer),
                      a.trusted);
}

Value plus(Runtime& rt, const Value& a) {
  rt.need_defined(a);
  if (a.is(Kind::real)) return a;
  if (!a.is_integer()) rt.fail(concat("bad operand type for unary +: '", type_name(a), "'"));
  return make_integer(a.integer, a.trusted);
}

}  // namespace colonnade::text::jinja
