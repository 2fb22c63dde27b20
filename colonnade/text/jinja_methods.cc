#include "colonnade/text/jinja_methods.h"

#include <algorithm>

#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_method_tables.h"
#include "colonnade/text/jinja_operators.h"

namespace colonnade::text::jinja {
namespace {

// Methods that Python has and we do not: an error beats an undefined value.
bool is_unsupported_method(const Value& value, std::string_view name) {
  constexpr std::string_view kString[] = {"encode", "isidentifier", "maketrans", "translate"};
  constexpr std::string_view kList[] = {"clear", "remove", "reverse", "sort"};
  constexpr std::string_view kDict[] = {"clear", "fromkeys", "popitem"};
  const auto holds = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  if (value.is(Kind::string)) return holds(kString);
  if (value.is(Kind::list)) return as_list(value).flavor == Flavor::list && holds(kList);
  return value.is(Kind::dict) && holds(kDict);
}

const Builtin* find_method(const Value& value, std::string_view name) {
  const Builtin* entry = nullptr;
  if (value.is(Kind::string)) entry = kStringMethods;
  if (value.is(Kind::dict)) entry = kDictMethods;
  if (value.is(Kind::list) && as_list(value).flavor == Flavor::list) entry = kListMethods;
  if (value.is(Kind::list) && as_list(value).flavor == Flavor::tuple) entry = kTupleMethods;
  if (value.is(Kind::loop)) entry = kLoopMethods;
  for (; entry != nullptr && !entry->name.empty(); ++entry) {
    if (entry->name == name) return entry;
  }
  return nullptr;
}

std::optional<Value> loop_attribute(const Loop& loop, std::string_view name) {
  const auto index = static_cast<int64_t>(loop.index);
  const auto count = static_cast<int64_t>(loop.count);
  if (name == "index") return make_integer(index + 1);
  if (name == "index0") return make_integer(index);
  if (name == "revindex") return make_integer(count - index);
  if (name == "revindex0") return make_integer(count - index - 1);
  if (name == "first") return make_boolean(index == 0);
  if (name == "last") return make_boolean(index + 1 == count);
  if (name == "length") return make_integer(count);
  if (name == "depth") return make_integer(loop.depth);
  if (name == "depth0") return make_integer(loop.depth - 1);
  if (name == "previtem") return loop.previous;
  if (name == "nextitem") return loop.next;
  return std::nullopt;
}

}  // namespace

std::optional<Value> find_attribute(Runtime& rt, const Value& value, const std::string& name) {
  if (value.is(Kind::space)) {
    Value* found = static_cast<Space&>(*value.object).find(name);
    return found != nullptr ? std::optional<Value>(*found) : std::nullopt;
  }
  if (value.is(Kind::loop)) {
    if (auto found = loop_attribute(static_cast<Loop&>(*value.object), name)) return found;
  }
  if (value.is(Kind::callable)) {
    const auto& attributes = static_cast<Callable&>(*value.object).attributes;
    for (const auto& [key, attribute] : attributes) {
      if (key == name) return attribute;
    }
  }
  if (value.is(Kind::list) && as_list(value).flavor == Flavor::group) {
    if (name == "grouper") return as_list(value).items[0];
    if (name == "list") return as_list(value).items[1];
  }
  if (const Builtin* method = find_method(value, name)) {
    return rt.callable(name, [self = value, method](Runtime& runtime, const Args& args) {
      return method->call(runtime, self, args);
    });
  }
  if (is_unsupported_method(value, name)) {
    rt.fail(concat("the method '", name, "' of ", type_name(value), " is not supported"));
  }
  return std::nullopt;
}

}  // namespace colonnade::text::jinja
