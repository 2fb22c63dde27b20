// Tests: value is name(args). Declared in jinja_builtins.h.
#include <cmath>

#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_strings.h"

namespace colonnade::text::jinja {
namespace {

template <bool (*holds)(const Value&)>
Value check(Runtime&, const Value& self, const Bound&) {
  return make_boolean(holds(self));
}

template <Kind kKind>
Value has_kind(Runtime&, const Value& self, const Bound&) {
  return make_boolean(self.is(kKind));
}

bool is_defined(const Value& v) { return !v.is(Kind::undefined); }
bool is_true(const Value& v) { return v.is(Kind::boolean) && v.integer != 0; }
bool is_false(const Value& v) { return v.is(Kind::boolean) && v.integer == 0; }
bool is_number(const Value& v) { return v.is_number(); }
bool is_markup(const Value& v) { return v.is(Kind::string) && v.markup; }
bool is_callable(const Value& v) {
  return v.is(Kind::callable) || v.is(Kind::loop) || v.is(Kind::undefined);
}

bool is_iterable(const Value& v) {
  return v.is(Kind::undefined) || v.is(Kind::string) || v.is(Kind::list) || v.is(Kind::dict) ||
         v.is(Kind::loop);
}

// Has a length and can be indexed: dicts too, as in Python.
bool is_sequence(const Value& v) {
  if (v.is(Kind::string) || v.is(Kind::dict) || v.is(Kind::undefined)) return true;
  if (!v.is(Kind::list)) return false;
  const Flavor flavor = as_list(v).flavor;
  return flavor == Flavor::list || flavor == Flavor::tuple || flavor == Flavor::range ||
         flavor == Flavor::group;
}

template <Compare kOp>
Value compares(Runtime& rt, const Value& self, const Bound& args) {
  return make_boolean(compare(rt, kOp, self, args[0]), self.trusted && args[0].trusted);
}

Value same_as(Runtime&, const Value& self, const Bound& args) {
  const Value& other = args[0];
  bool same = self.kind == other.kind;
  if (same && self.is(Kind::string)) same = self.chars() == other.chars();
  if (same && self.is_integer()) same = self.integer == other.integer;
  if (same && self.is(Kind::real)) same = self.real == other.real;
  return make_boolean(same && self.object == other.object);
}

template <int kRemainder>
Value parity(Runtime& rt, const Value& self, const Bound&) {
  return make_boolean(
      equal(rt, binary(rt, Binary::modulo, self, make_integer(2)), make_integer(kRemainder)));
}

Value divisible_by(Runtime& rt, const Value& self, const Bound& args) {
  return make_boolean(equal(rt, binary(rt, Binary::modulo, self, args[0]), make_integer(0)));
}

Value lower_test(Runtime& rt, const Value& self, const Bound&) {
  return make_boolean(is_lower_text(str(rt, self)));
}
Value upper_test(Runtime& rt, const Value& self, const Bound&) {
  return make_boolean(is_upper_text(str(rt, self)));
}

Value filter_test(Runtime&, const Value& self, const Bound&) {
  return make_boolean(self.is(Kind::string) && find_filter(self.chars()) != nullptr);
}

Value test_test(Runtime&, const Value& self, const Bound&) {
  return make_boolean(self.is(Kind::string) && find_test(self.chars()) != nullptr);
}

}  // namespace

const Builtin kTests[] = {
    {"!=", "other", compares<Compare::not_equal>},
    {"<", "other", compares<Compare::less>},
    {"<=", "other", compares<Compare::less_equal>},
    {"==", "other", compares<Compare::equal>},
    {">", "other", compares<Compare::greater>},
    {">=", "other", compares<Compare::greater_equal>},
    {"boolean", "", has_kind<Kind::boolean>},
    {"callable", "", check<is_callable>},
    {"defined", "", check<is_defined>},
    {"divisibleby", "num", divisible_by},
    {"eq", "other", compares<Compare::equal>},
    {"equalto", "other", compares<Compare::equal>},
    {"escaped", "", check<is_markup>},
    {"even", "", parity<0>},
    {"false", "", check<is_false>},
    {"filter", "", filter_test},
    {"float", "", has_kind<Kind::real>},
    {"ge", "other", compares<Compare::greater_equal>},
    {"greaterthan", "other", compares<Compare::greater>},
    {"gt", "other", compares<Compare::greater>},
    {"in", "seq", compares<Compare::in>},
    {"integer", "", has_kind<Kind::integer>},
    {"iterable", "", check<is_iterable>},
    {"le", "other", compares<Compare::less_equal>},
    {"lessthan", "other", compares<Compare::less>},
    {"lower", "", lower_test},
    {"lt", "other", compares<Compare::less>},
    {"mapping", "", has_kind<Kind::dict>},
    {"ne", "other", compares<Compare::not_equal>},
    {"none", "", has_kind<Kind::none>},
    {"number", "", check<is_number>},
    {"odd", "", parity<1>},
    {"sameas", "other", same_as},
    {"sequence", "", check<is_sequence>},
    {"string", "", has_kind<Kind::string>},
    {"test", "", test_test},
    {"true", "", check<is_true>},
    {"undefined", "", has_kind<Kind::undefined>},
    {"upper", "", upper_test},
    {},
};

}  // namespace colonnade::text::jinja
