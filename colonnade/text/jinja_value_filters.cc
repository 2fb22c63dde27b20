// Filters on numbers and on any value: default, int, tojson. Declared in jinja_builtins.h.
#include <charconv>
#include <cmath>

#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_collections.h"
#include "colonnade/text/jinja_convert.h"
#include "colonnade/text/jinja_format.h"
#include "colonnade/text/jinja_methods.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_strings.h"

namespace colonnade::text::jinja {
namespace {

Value absolute(Runtime& rt, const Value& self, const Bound&) {
  rt.need_defined(self);
  if (self.is(Kind::real)) return make_real(std::fabs(self.real), self.trusted);
  if (!self.is_integer()) rt.fail(concat("abs: expected a number, got ", type_name(self)));
  return self.integer < 0 ? negate(rt, self) : make_integer(self.integer, self.trusted);
}

Value attr(Runtime& rt, const Value& self, const Bound& args) {
  if (args.text(0) == nullptr) rt.fail("attr: expected the name of an attribute");
  const std::string& name = args.text(0)->chars();
  rt.need_defined(self);
  if (const auto found = find_attribute(rt, self, name)) return *found;
  return make_undefined(concat("'", type_name(self), " object' has no attribute '", name, "'"));
}

Value default_filter(Runtime& rt, const Value& self, const Bound& args) {
  const bool boolean = args.find(1) != nullptr && truthy(args[1]);
  if (!self.is(Kind::undefined) && !(boolean && !truthy(self))) return self;
  return args.find(0) == nullptr ? rt.string("", true) : args[0];
}

Value float_filter(Runtime& rt, const Value& self, const Bound& args) {
  rt.need_defined(self);
  const bool trusted = owned_by_template(self);
  if (self.is_number()) return make_real(self.as_real(), trusted);
  if (self.is(Kind::string)) {
    if (const auto value = parse_real(self.chars())) return make_real(*value, trusted);
  }
  return args.find(0) == nullptr ? make_real(0.0) : args[0];
}

Value int_filter(Runtime& rt, const Value& self, const Bound& args) {
  rt.need_defined(self);
  const bool trusted = owned_by_template(self);
  const int64_t base = args.integer(1, 10);
  const Value otherwise = args.find(0) == nullptr ? make_integer(0) : args[0];
  if (self.is_integer()) return make_integer(self.integer, trusted);
  std::optional<double> real;
  if (self.is(Kind::string)) {
    if (const auto value = parse_integer(rt, self.chars(), base))
      return make_integer(*value, trusted);
    real = parse_real(self.chars());
  } else if (self.is(Kind::real)) {
    real = self.real;
  }
  if (!real || !std::isfinite(*real)) return otherwise;
  constexpr double kTwo63 = 9223372036854775808.0;
  if (std::fabs(*real) >= kTwo63) rt.fail("int: the number is too large: integers have 64 bits");
  return make_integer(static_cast<int64_t>(*real), trusted);
}

// round(value, digits) of Python: exact decimal rounding, halves to even.
double round_decimal(double value, int64_t digits) {
  if (!std::isfinite(value) || digits > 300) return value;
  if (digits < -300) return std::copysign(0.0, value);
  if (digits < 0) {
    const double scale = power(10.0, -digits);
    return std::nearbyint(value / scale) * scale;
  }
  char buffer[700];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::fixed,
                                 static_cast<int>(digits))
                       .ptr;
  double rounded = value;
  std::from_chars(buffer, end, rounded);
  return rounded;
}

Value round_filter(Runtime& rt, const Value& self, const Bound& args) {
  rt.need_defined(self);
  if (!self.is_number()) rt.fail(concat("round: expected a number, got ", type_name(self)));
  const int64_t digits = args.integer(0, 0);
  const std::string method = args.text(1) == nullptr ? "common" : args.text(1)->chars();
  if (method == "common") {
    if (self.is_integer() && digits >= 0) return make_integer(self.integer, self.trusted);
    if (self.is_integer())
      return make_integer(static_cast<int64_t>(round_decimal(self.as_real(), digits)),
                          self.trusted);
    return make_real(round_decimal(self.real, digits), self.trusted);
  }
  if (method != "ceil" && method != "floor") rt.fail("round: method must be common, ceil or floor");
  const double scale = power(10.0, digits);
  const double scaled = self.as_real() * scale;
  return make_real((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale,
                   self.trusted);
}

Value file_size(Runtime& rt, const Value& self, const Bound& args) {
  rt.need_defined(self);
  const auto bytes =
      self.is(Kind::string) ? parse_real(self.chars()) : std::optional<double>(self.as_real());
  if (!bytes || !(self.is(Kind::string) || self.is_number()))
    rt.fail("filesizeformat: expected a number");
  const bool binary = args.boolean(0, false);
  const double base = binary ? 1024 : 1000;
  const bool trusted = owned_by_template(self);
  if (*bytes == 1) return rt.string("1 Byte", trusted);
  if (*bytes < base) return rt.string(concat(static_cast<int64_t>(*bytes), " Bytes"), trusted);
  constexpr std::string_view kPrefixes = "kMGTPEZY";
  double unit = base;
  for (size_t i = 0; i < kPrefixes.size(); ++i) {
    unit *= base;
    if (*bytes >= unit && i + 1 < kPrefixes.size()) continue;
    const std::string prefix = binary && i == 0 ? "K" : std::string(1, kPrefixes[i]);
    const Value number =
        format_percent(rt, rt.string("%.1f", trusted), make_real(base * *bytes / unit, trusted));
    return add(rt, number, rt.string(" " + prefix + (binary ? "iB" : "B"), trusted));
  }
  return {};
}

Text indent_of(Runtime& rt, const Value& indent) {
  if (indent.is(Kind::string)) return *indent.text;
  if (!indent.is_integer())
    rt.fail(concat("tojson: indent: expected an integer, got ", type_name(indent)));
  return pad(rt, Text(), indent.integer, Text(" ", true), Align::left);
}

void set_separators(Runtime& rt, JsonStyle& style, const Value& separators) {
  const std::vector<Value> pair = rt.iterate(separators);
  if (pair.size() != 2 || !pair[0].is(Kind::string) || !pair[1].is(Kind::string)) {
    rt.fail("tojson: separators: expected two strings");
  }
  style.item_separator = *pair[0].text;
  style.key_separator = *pair[1].text;
}

Value to_json_filter(Runtime& rt, const Value& self, const Bound& args) {
  const auto given = [&](size_t i) { return args.find(i) != nullptr && !args[i].is(Kind::none); };
  JsonStyle style;
  style.ensure_ascii = given(0) && truthy(args[0]);
  style.indented = given(1);
  if (style.indented) {
    style.indent = indent_of(rt, args[1]);
    style.item_separator = Text(",", true);
  }
  if (given(2)) set_separators(rt, style, args[2]);
  style.sort_keys = given(3) && truthy(args[3]);
  return rt.string(to_json(rt, self, style));
}

Value from_json_filter(Runtime& rt, const Value& self, const Bound&) {
  rt.need_defined(self);
  if (!self.is(Kind::string))
    rt.fail(concat("from_json: expected a string, got ", type_name(self)));
  return parse_json(rt, self);
}

}  // namespace

const Builtin kValueFilters[] = {
    {"abs", "", absolute},
    {"attr", "name", attr},
    {"d", ";default_value,boolean", default_filter},
    {"default", ";default_value,boolean", default_filter},
    {"filesizeformat", ";binary", file_size},
    {"float", ";default", float_filter},
    {"from_json", "", from_json_filter},
    {"int", ";default,base", int_filter},
    {"round", ";precision,method", round_filter},
    {"tojson", ";ensure_ascii,indent,separators,sort_keys", to_json_filter},
    {},
};

}  // namespace colonnade::text::jinja
