#include "colonnade/text/jinja_builtins.h"

#include <algorithm>

namespace colonnade::text::jinja {
namespace {

struct Parameters {
  std::vector<std::string_view> names;
  size_t required = 0;
};

Parameters split(std::string_view list) {
  Parameters made;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const bool ends = i == list.size();
    if (!ends && list[i] != ',' && list[i] != ';') continue;
    if (i > begin) made.names.push_back(list.substr(begin, i - begin));
    if (!ends && list[i] == ';') made.required = made.names.size();
    if (ends && list.find(';') == std::string_view::npos) made.required = made.names.size();
    begin = i + 1;
  }
  return made;
}

const Builtin* find_in(std::initializer_list<const Builtin*> tables, std::string_view name) {
  for (const Builtin* entry : tables) {
    for (; !entry->name.empty(); ++entry) {
      if (entry->name == name) return entry;
    }
  }
  return nullptr;
}

}  // namespace

Bound::Bound(Runtime& rt, std::string_view name, std::string_view parameters, const Args& args)
    : rt_(rt), name_(name) {
  const Parameters wanted = split(parameters);
  slots_.assign(wanted.names.size(), nullptr);
  if (args.positional.size() > slots_.size()) {
    rt.fail(
        concat(name, " takes at most ", slots_.size(), " arguments, got ", args.positional.size()));
  }
  for (size_t i = 0; i < args.positional.size(); ++i) slots_[i] = &args.positional[i];
  for (const auto& [keyword, value] : args.keyword) {
    const auto found = std::find(wanted.names.begin(), wanted.names.end(), keyword);
    if (found == wanted.names.end()) rt.fail(concat(name, " has no parameter '", keyword, "'"));
    const Value*& slot = slots_[static_cast<size_t>(found - wanted.names.begin())];
    if (slot != nullptr) rt.fail(concat(name, " got two values for parameter '", keyword, "'"));
    slot = &value;
  }
  for (size_t i = 0; i < wanted.required; ++i) {
    if (slots_[i] == nullptr) rt.fail(concat(name, " needs its argument '", wanted.names[i], "'"));
  }
}

int64_t Bound::integer(size_t i, int64_t otherwise) const {
  if (slots_[i] == nullptr) return otherwise;
  rt_.need_defined(*slots_[i]);
  if (!slots_[i]->is_integer()) {
    rt_.fail(concat(name_, ": expected an integer, got ", type_name(*slots_[i])));
  }
  return slots_[i]->integer;
}

bool Bound::boolean(size_t i, bool otherwise) const {
  if (slots_[i] == nullptr) return otherwise;
  const Value& value = *slots_[i];
  return value.is(Kind::string) ? !value.text->empty()
                                : !value.is(Kind::none) && value.integer != 0;
}

const Text* Bound::text(size_t i) const {
  if (slots_[i] == nullptr || slots_[i]->is(Kind::none)) return nullptr;
  rt_.need_defined(*slots_[i]);
  if (!slots_[i]->is(Kind::string)) {
    rt_.fail(concat(name_, ": expected a string, got ", type_name(*slots_[i])));
  }
  return slots_[i]->text.get();
}

Value Builtin::call(Runtime& rt, const Value& self, const Args& args) const {
  if (raw != nullptr) return raw(rt, self, args);
  return bound(rt, self, Bound(rt, name, parameters, args));
}

const Builtin* find_filter(std::string_view name) {
  return find_in(
      {kTextFilters, kListFilters, kSelectFilters, kValueFilters, kPrettyFilters, kWrapFilters},
      name);
}

const Builtin* find_test(std::string_view name) { return find_in({kTests}, name); }

}  // namespace colonnade::text::jinja
