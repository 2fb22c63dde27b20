// map, select and reject: filters that apply another filter or test to each item. Declared in
// jinja_builtins.h.
#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_collections.h"
#include "colonnade/text/jinja_operators.h"

namespace colonnade::text::jinja {
namespace {

std::string builtin_name(Runtime& rt, const Value& name) {
  rt.need_defined(name);
  if (!name.is(Kind::string))
    rt.fail(concat("expected the name of a filter or test, got ", type_name(name)));
  return name.chars();
}

Args rest_of(const Args& args, size_t from) {
  Args rest;
  rest.positional.assign(args.positional.begin() + static_cast<std::ptrdiff_t>(from),
                         args.positional.end());
  rest.keyword = args.keyword;
  return rest;
}

Value map_attribute(Runtime& rt, const Value& self, const Args& args) {
  const Value* attribute = nullptr;
  const Value* otherwise = nullptr;
  for (const auto& [name, value] : args.keyword) {
    if (name == "attribute") {
      attribute = &value;
    } else if (name == "default") {
      otherwise = value.is(Kind::none) ? nullptr : &value;
    } else {
      rt.fail(concat("map has no parameter '", name, "'"));
    }
  }
  if (attribute == nullptr) rt.fail("map needs the name of a filter, or attribute=");
  const std::vector<Value> path = path_of(rt, attribute);
  std::vector<Value> items = rt.iterate(self);
  for (Value& item : items) item = follow(rt, item, path, otherwise);
  return rt.list(std::move(items), Flavor::iterator, owned_by_template(self));
}

Value map(Runtime& rt, const Value& self, const Args& args) {
  if (!truthy(self)) return rt.list({}, Flavor::iterator, owned_by_template(self));
  if (args.positional.empty()) return map_attribute(rt, self, args);
  const std::string name = builtin_name(rt, args.positional[0]);
  const Builtin* filter = find_filter(name);
  if (filter == nullptr) rt.fail(concat("no filter named '", name, "'"));
  const Args rest = rest_of(args, 1);
  const Runtime::Level level(rt);
  std::vector<Value> items = rt.iterate(self);
  for (Value& item : items) item = filter->call(rt, item, rest);
  return rt.list(std::move(items), Flavor::iterator, owned_by_template(self));
}

enum class Subject : uint8_t { item, attribute };

template <Subject kSubject, bool kWanted>
Value select(Runtime& rt, const Value& self, const Args& args) {
  constexpr size_t kFirst = kSubject == Subject::attribute ? 1 : 0;
  std::vector<Value> kept;
  if (!truthy(self)) return rt.list({}, Flavor::iterator, owned_by_template(self));
  if (args.positional.size() < kFirst) rt.fail("the name of the attribute is missing");
  const std::vector<Value> path = path_of(rt, kFirst == 1 ? &args.positional[0] : nullptr);
  const Builtin* test = nullptr;
  Args rest;
  if (args.positional.size() > kFirst) {
    const std::string name = builtin_name(rt, args.positional[kFirst]);
    test = find_test(name);
    if (test == nullptr) rt.fail(concat("no test named '", name, "'"));
    rest = rest_of(args, kFirst + 1);
  }
  for (const Value& item : rt.iterate(self)) {
    const Value subject = follow(rt, item, path);
    const bool holds = test == nullptr ? truthy(subject) : truthy(test->call(rt, subject, rest));
    if (holds == kWanted) kept.push_back(item);
  }
  return rt.list(std::move(kept), Flavor::iterator, owned_by_template(self));
}

}  // namespace

const Builtin kSelectFilters[] = {
    {"map", "*", nullptr, map},
    {"reject", "*", nullptr, select<Subject::item, false>},
    {"rejectattr", "*", nullptr, select<Subject::attribute, false>},
    {"select", "*", nullptr, select<Subject::item, true>},
    {"selectattr", "*", nullptr, select<Subject::attribute, true>},
    {},
};

}  // namespace colonnade::text::jinja
