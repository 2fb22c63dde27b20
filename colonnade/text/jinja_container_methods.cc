// Methods of lists, tuples, dicts and loop. Declared in jinja_method_tables.h. The methods that
// change a list or dict are not in transformers' sandbox, but other engines allow them and
// templates use them.
#include <algorithm>

#include "colonnade/text/jinja_method_tables.h"
#include "colonnade/text/jinja_operators.h"

namespace colonnade::text::jinja {
namespace {

Value append(Runtime& rt, const Value& self, const Bound& args) {
  rt.charge(sizeof(Value));
  as_list(self).items.push_back(args[0]);
  return make_none();
}

Value extend(Runtime& rt, const Value& self, const Bound& args) {
  const std::vector<Value> more = rt.iterate(args[0]);
  rt.charge(static_cast<int64_t>(more.size() * sizeof(Value)));
  as_list(self).items.insert(as_list(self).items.end(), more.begin(), more.end());
  return make_none();
}

Value insert(Runtime& rt, const Value& self, const Bound& args) {
  auto& items = as_list(self).items;
  const auto size = static_cast<int64_t>(items.size());
  int64_t at = args.integer(0, 0);
  at = std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  rt.charge(sizeof(Value));
  rt.step(size - at);
  items.insert(items.begin() + at, args[1]);
  return make_none();
}

Value pop_item(Runtime& rt, const Value& self, const Bound& args) {
  auto& items = as_list(self).items;
  const auto size = static_cast<int64_t>(items.size());
  int64_t at = args.integer(0, -1);
  if (at < 0) at += size;
  if (at < 0 || at >= size) rt.fail("pop: index out of range");
  rt.step(size - at);
  Value taken = items[static_cast<size_t>(at)];
  items.erase(items.begin() + at);
  return taken;
}

Value count_items(Runtime& rt, const Value& self, const Bound& args) {
  int64_t found = 0;
  for (const Value& item : as_list(self).items) found += equal(rt, item, args[0]);
  return make_integer(found, as_list(self).trusted);
}

Value index_of(Runtime& rt, const Value& self, const Bound& args) {
  const auto& items = as_list(self).items;
  for (size_t i = 0; i < items.size(); ++i) {
    if (equal(rt, items[i], args[0]))
      return make_integer(static_cast<int64_t>(i), as_list(self).trusted);
  }
  rt.fail("index: the value is not in the list");
}

Value copy_list(Runtime& rt, const Value& self, const Bound&) {
  return rt.list(as_list(self).items, Flavor::list, as_list(self).trusted);
}

const Value* find_key(Runtime& rt, const Value& self, const Value& key) {
  const std::string name = dict_key(key);
  if (name.empty()) rt.fail(concat("unhashable type: '", type_name(key), "'"));
  return as_dict(self).find(name);
}

Value get(Runtime& rt, const Value& self, const Bound& args) {
  if (const Value* found = find_key(rt, self, args[0])) return *found;
  return args.find(1) == nullptr ? make_none() : args[1];
}

template <Flavor kFlavor>
Value view(Runtime& rt, const Value& self, const Bound&) {
  const Dict& dict = as_dict(self);
  std::vector<Value> items;
  for (const auto& [name, value] : dict.entries) {
    if constexpr (kFlavor == Flavor::items) {
      items.push_back(rt.list({name, value}, Flavor::tuple, dict.trusted));
    } else {
      items.push_back(kFlavor == Flavor::keys ? name : value);
    }
  }
  return rt.list(std::move(items), kFlavor, dict.trusted);
}

Value copy_dict(Runtime& rt, const Value& self, const Bound&) {
  const Value made = rt.dict(as_dict(self).trusted);
  for (const auto& [name, value] : as_dict(self).entries) rt.set(as_dict(made), name, value);
  return made;
}

Value pop_key(Runtime& rt, const Value& self, const Bound& args) {
  const Value* found = find_key(rt, self, args[0]);
  if (found == nullptr) {
    if (args.find(1) == nullptr) rt.fail("pop: the key is not in the dict");
    return args[1];
  }
  const Value taken = *found;
  rt.step(static_cast<int64_t>(as_dict(self).entries.size()));
  as_dict(self).erase(dict_key(args[0]));
  return taken;
}

Value set_default(Runtime& rt, const Value& self, const Bound& args) {
  if (const Value* found = find_key(rt, self, args[0])) return *found;
  const Value value = args.find(1) == nullptr ? make_none() : args[1];
  rt.set(as_dict(self), args[0], value);
  return value;
}

Value update(Runtime& rt, const Value& self, const Args& args) {
  if (args.positional.size() > 1) rt.fail("update takes one mapping");
  for (const Value& other : args.positional) {
    if (!other.is(Kind::dict))
      rt.fail(concat("update: expected a mapping, got ", type_name(other)));
    const auto entries = as_dict(other).entries;
    for (const auto& [name, value] : entries) rt.set(as_dict(self), name, value);
  }
  for (const auto& [name, value] : args.keyword)
    rt.set(as_dict(self), rt.string(name, true), value);
  return make_none();
}

Value cycle(Runtime& rt, const Value& self, const Args& args) {
  if (args.positional.empty()) rt.fail("cycle: no items given");
  return args.positional[static_cast<Loop&>(*self.object).index % args.positional.size()];
}

Value changed(Runtime& rt, const Value& self, const Args& args) {
  auto& loop = static_cast<Loop&>(*self.object);
  bool same = loop.has_changed && loop.last_changed.size() == args.positional.size();
  for (size_t i = 0; same && i < args.positional.size(); ++i)
    same = equal(rt, loop.last_changed[i], args.positional[i]);
  loop.has_changed = true;
  loop.last_changed = args.positional;
  return make_boolean(!same);
}

}  // namespace

const Builtin kListMethods[] = {
    {"append", "object", append},    {"copy", "", copy_list},
    {"count", "value", count_items}, {"extend", "iterable", extend},
    {"index", "value", index_of},    {"insert", "index,object", insert},
    {"pop", ";index", pop_item},     {},
};

const Builtin kTupleMethods[] = {
    {"count", "value", count_items},
    {"index", "value", index_of},
    {},
};

const Builtin kDictMethods[] = {
    {"copy", "", copy_dict},
    {"get", "key;default", get},
    {"items", "", view<Flavor::items>},
    {"keys", "", view<Flavor::keys>},
    {"pop", "key;default", pop_key},
    {"setdefault", "key;default", set_default},
    {"update", "*", nullptr, update},
    {"values", "", view<Flavor::values>},
    {},
};

const Builtin kLoopMethods[] = {
    {"changed", "*", nullptr, changed},
    {"cycle", "*", nullptr, cycle},
    {},
};

}  // namespace colonnade::text::jinja
