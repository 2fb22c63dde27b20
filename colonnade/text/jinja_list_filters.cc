// Filters that take or make a list. Declared in jinja_builtins.h.
#include <algorithm>
#include <numeric>

#include "colonnade/text/jinja_builtins.h"
#include "colonnade/text/jinja_collections.h"
#include "colonnade/text/jinja_operators.h"
#include "colonnade/text/jinja_print.h"
#include "colonnade/text/jinja_strings.h"

namespace colonnade::text::jinja {

std::vector<Value> path_of(Runtime& rt, const Value* attribute) {
  std::vector<Value> path;
  if (attribute == nullptr || attribute->is(Kind::none)) return path;
  if (!attribute->is(Kind::string)) return {*attribute};
  const Text dot(".", true);
  for (Text& part : split(rt, *attribute->text, &dot, -1)) {
    const std::string& chars = part.chars();
    const bool digits = !chars.empty() && chars.size() < 18 &&
                        chars.find_first_not_of("0123456789") == std::string::npos;
    path.push_back(digits ? make_integer(std::stoll(chars)) : rt.string(std::move(part)));
  }
  return path;
}

Value follow(Runtime& rt, Value value, const std::vector<Value>& path, const Value* otherwise) {
  for (const Value& key : path) {
    value = item(rt, value, key);
    if (otherwise != nullptr && value.is(Kind::undefined)) value = *otherwise;
  }
  return value;
}

Value folded(Runtime& rt, const Value& value, Case mode) {
  if (mode == Case::kept || !value.is(Kind::string)) return value;
  return rt.string(lower(rt, *value.text));
}

std::vector<Value> sorted(Runtime& rt, const std::vector<Value>& items,
                          const std::vector<Value>& keys, bool reverse) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return reverse ? less(rt, keys[b], keys[a]) : less(rt, keys[a], keys[b]);
  });
  std::vector<Value> out;
  for (const size_t i : order) out.push_back(items[i]);
  return out;
}

bool owned_by_template(const Value& source) {
  if (source.is(Kind::list)) return as_list(source).trusted;
  if (source.is(Kind::dict)) return as_dict(source).trusted;
  if (source.is(Kind::string)) return source.text->trusted();
  return source.trusted;
}

namespace {

Value list_filter(Runtime& rt, const Value& self, const Bound&) {
  return rt.list(rt.iterate(self), Flavor::list, owned_by_template(self));
}

Value length_filter(Runtime& rt, const Value& self, const Bound&) {
  return make_integer(length(rt, self), owned_by_template(self));
}

Value join_filter(Runtime& rt, const Value& self, const Bound& args) {
  const std::vector<Value> path = path_of(rt, args.find(1));
  std::vector<Text> parts;
  for (const Value& item : rt.iterate(self)) parts.push_back(str(rt, follow(rt, item, path)));
  return rt.string(join(rt, args.find(0) == nullptr ? Text() : str(rt, args[0]), parts));
}

Value first(Runtime& rt, const Value& self, const Bound&) {
  if (self.is(Kind::list) && as_list(self).flavor == Flavor::iterator) {
    List& list = as_list(self);
    if (list.taken < list.items.size()) return list.items[list.taken++];
    return make_undefined("no first item: the sequence is empty");
  }
  const std::vector<Value> items = rt.iterate(self);
  return items.empty() ? make_undefined("no first item: the sequence is empty") : items.front();
}

void need_reversible(Runtime& rt, const Value& self) {
  if (self.is(Kind::list) && as_list(self).flavor == Flavor::iterator) {
    rt.fail("an iterator cannot be reversed: make it a list first (| list)");
  }
}

Value last(Runtime& rt, const Value& self, const Bound&) {
  need_reversible(rt, self);
  const std::vector<Value> items = rt.iterate(self);
  return items.empty() ? make_undefined("no last item: the sequence is empty") : items.back();
}

Value reverse(Runtime& rt, const Value& self, const Bound&) {
  if (self.is(Kind::string)) return slice(rt, self, {std::nullopt, std::nullopt, -1});
  std::vector<Value> items = rt.iterate(self);
  std::reverse(items.begin(), items.end());
  const bool listed = self.is(Kind::list) && as_list(self).flavor == Flavor::iterator;
  return rt.list(std::move(items), listed ? Flavor::list : Flavor::iterator,
                 owned_by_template(self));
}

Case case_of(const Bound& args, size_t i) {
  return args.boolean(i, false) ? Case::kept : Case::ignored;
}

// Keys for each attribute in "a,b.c", compared one after the other.
std::vector<Value> sort_keys(Runtime& rt, const std::vector<Value>& items, const Value* attribute,
                             Case mode) {
  std::vector<std::vector<Value>> paths;
  if (attribute != nullptr && attribute->is(Kind::string)) {
    const Text comma(",", true);
    for (Text& part : split(rt, *attribute->text, &comma, -1)) {
      const Value name = rt.string(std::move(part));
      paths.push_back(path_of(rt, &name));
    }
  } else {
    paths.push_back(path_of(rt, attribute));
  }
  std::vector<Value> keys;
  for (const Value& item : items) {
    std::vector<Value> key;
    for (const auto& path : paths) key.push_back(folded(rt, follow(rt, item, path), mode));
    keys.push_back(rt.list(std::move(key)));
  }
  return keys;
}

Value sort(Runtime& rt, const Value& self, const Bound& args) {
  const std::vector<Value> items = rt.iterate(self);
  const std::vector<Value> keys = sort_keys(rt, items, args.find(2), case_of(args, 1));
  return rt.list(sorted(rt, items, keys, args.boolean(0, false)), Flavor::list,
                 owned_by_template(self));
}

Value dict_sort(Runtime& rt, const Value& self, const Bound& args) {
  rt.need_defined(self);
  if (!self.is(Kind::dict)) rt.fail(concat("dictsort: expected a mapping, got ", type_name(self)));
  const std::string by = args.text(1) == nullptr ? "key" : args.text(1)->chars();
  if (by != "key" && by != "value") rt.fail("dictsort: by must be 'key' or 'value'");
  std::vector<Value> items, keys;
  for (const auto& [name, value] : as_dict(self).entries) {
    items.push_back(rt.list({name, value}, Flavor::tuple, as_dict(self).trusted));
    keys.push_back(folded(rt, by == "key" ? name : value, case_of(args, 0)));
  }
  return rt.list(sorted(rt, items, keys, args.boolean(2, false)), Flavor::list,
                 as_dict(self).trusted);
}

Value unique(Runtime& rt, const Value& self, const Bound& args) {
  const std::vector<Value> path = path_of(rt, args.find(1));
  const Value seen = rt.dict();
  std::vector<Value> items;
  for (const Value& item : rt.iterate(self)) {
    const Value key = folded(rt, follow(rt, item, path), case_of(args, 0));
    if (const std::string name = dict_key(key);
        !name.empty() && as_dict(seen).find(name) != nullptr)
      continue;
    rt.set(as_dict(seen), key, item);
    items.push_back(item);
  }
  return rt.list(std::move(items), Flavor::iterator, owned_by_template(self));
}

template <bool kLargest>
Value extreme(Runtime& rt, const Value& self, const Bound& args) {
  const std::vector<Value> path = path_of(rt, args.find(1));
  Value best = make_undefined("no aggregated item: the sequence is empty");
  Value best_key;
  bool found = false;
  for (const Value& item : rt.iterate(self)) {
    const Value key = folded(rt, follow(rt, item, path), case_of(args, 0));
    if (found && !(kLargest ? less(rt, best_key, key) : less(rt, key, best_key))) continue;
    best = item;
    best_key = key;
    found = true;
  }
  return best;
}

Value sum(Runtime& rt, const Value& self, const Bound& args) {
  const std::vector<Value> path = path_of(rt, args.find(0));
  Value total = args.find(1) == nullptr ? make_integer(0) : args[1];
  if (total.is(Kind::string)) rt.fail("sum cannot add strings: use join");
  for (const Value& item : rt.iterate(self)) total = add(rt, total, follow(rt, item, path));
  return total;
}

Value items_filter(Runtime& rt, const Value& self, const Bound&) {
  std::vector<Value> items;
  if (!self.is(Kind::undefined)) {
    if (!self.is(Kind::dict)) rt.fail("items: can only get item pairs from a mapping");
    for (const auto& [name, value] : as_dict(self).entries) {
      items.push_back(rt.list({name, value}, Flavor::tuple, as_dict(self).trusted));
    }
  }
  return rt.list(std::move(items), Flavor::iterator, owned_by_template(self));
}

Value batch(Runtime& rt, const Value& self, const Bound& args) {
  const int64_t size = args.integer(0, 1);
  const bool fills = args.find(1) != nullptr && !args[1].is(Kind::none);
  std::vector<Value> rows, row;
  for (const Value& item : rt.iterate(self)) {
    if (static_cast<int64_t>(row.size()) == size) rows.push_back(rt.list(std::exchange(row, {})));
    row.push_back(item);
  }
  if (!row.empty()) {
    while (fills && static_cast<int64_t>(row.size()) < size) {
      rt.charge(sizeof(Value));
      row.push_back(args[1]);
    }
    rows.push_back(rt.list(std::move(row)));
  }
  return rt.list(std::move(rows), Flavor::iterator);
}

Value slice_filter(Runtime& rt, const Value& self, const Bound& args) {
  const std::vector<Value> items = rt.iterate(self);
  const int64_t count = args.integer(0, 1);
  if (count == 0) rt.fail("division by zero");
  const bool fills = args.find(1) != nullptr && !args[1].is(Kind::none);
  const auto total = static_cast<int64_t>(items.size());
  std::vector<Value> columns;
  auto next = items.begin();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t take = total / count + (i < total % count);
    std::vector<Value> column(next, next + take);
    next += take;
    if (fills && i >= total % count) column.push_back(args[1]);
    columns.push_back(rt.list(std::move(column)));
  }
  return rt.list(std::move(columns), Flavor::iterator);
}

Value group_by(Runtime& rt, const Value& self, const Bound& args) {
  const std::vector<Value> path = path_of(rt, args.find(0));
  const Value* otherwise =
      args.find(1) != nullptr && !args[1].is(Kind::none) ? args.find(1) : nullptr;
  const Case mode = case_of(args, 2);
  const std::vector<Value> items = rt.iterate(self);
  std::vector<Value> keys;
  for (const Value& item : items)
    keys.push_back(folded(rt, follow(rt, item, path, otherwise), mode));
  std::vector<Value> groups, group;
  Value group_key;
  const auto close = [&] {
    if (group.empty()) return;
    const Value name = follow(rt, group[0], path, otherwise);
    groups.push_back(rt.list({name, rt.list(std::exchange(group, {}))}, Flavor::group));
  };
  for (const Value& item : sorted(rt, items, keys, false)) {
    const Value key = folded(rt, follow(rt, item, path, otherwise), mode);
    if (!group.empty() && !equal(rt, key, group_key)) close();
    group_key = key;
    group.push_back(item);
  }
  close();
  return rt.list(std::move(groups));
}

}  // namespace

const Builtin kListFilters[] = {
    {"batch", "linecount;fill_with", batch},
    {"count", "", length_filter},
    {"dictsort", ";case_sensitive,by,reverse", dict_sort},
    {"first", "", first},
    {"groupby", "attribute;default,case_sensitive", group_by},
    {"items", "", items_filter},
    {"join", ";d,attribute", join_filter},
    {"last", "", last},
    {"length", "", length_filter},
    {"list", "", list_filter},
    {"max", ";case_sensitive,attribute", extreme<true>},
    {"min", ";case_sensitive,attribute", extreme<false>},
    {"reverse", "", reverse},
    {"slice", "slices;fill_with", slice_filter},
    {"sort", ";reverse,case_sensitive,attribute", sort},
    {"sum", ";attribute,start", sum},
    {"unique", ";case_sensitive,attribute", unique},
    {},
};

}  // namespace colonnade::text::jinja
