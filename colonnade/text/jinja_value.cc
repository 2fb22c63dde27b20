#include "colonnade/text/jinja_value.h"

#include <cmath>

namespace colonnade::text::jinja {

Value make_none() {
  Value v;
  v.kind = Kind::none;
  return v;
}

Value make_boolean(bool value, bool trusted) {
  Value v;
  v.kind = Kind::boolean;
  v.trusted = trusted;
  v.integer = value;
  return v;
}

Value make_integer(int64_t value, bool trusted) {
  Value v;
  v.kind = Kind::integer;
  v.trusted = trusted;
  v.integer = value;
  return v;
}

Value make_real(double value, bool trusted) {
  Value v;
  v.kind = Kind::real;
  v.trusted = trusted;
  v.real = value;
  return v;
}

Value make_string(Text text) {
  Value v;
  v.kind = Kind::string;
  v.text = std::make_shared<const Text>(std::move(text));
  return v;
}

Value make_undefined(std::string_view why) {
  Value v;
  v.text = std::make_shared<const Text>(Text(why, false));
  return v;
}

const Value* Dict::find(const std::string& key) const {
  const auto found = index.find(key);
  return found == index.end() ? nullptr : &entries[found->second].second;
}

void Dict::set(const std::string& key, const Value& name, const Value& value) {
  const auto [found, is_new] = index.try_emplace(key, entries.size());
  if (is_new) {
    entries.emplace_back(name, value);
  } else {
    entries[found->second].second = value;
  }
}

bool Dict::erase(const std::string& key) {
  const auto found = index.find(key);
  if (found == index.end()) return false;
  const size_t gone = found->second;
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(gone));
  index.erase(found);
  for (auto& [name, position] : index) position -= position > gone;
  return true;
}

Value* Space::find(std::string_view name) {
  for (auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

List& as_list(const Value& value) { return static_cast<List&>(*value.object); }
Dict& as_dict(const Value& value) { return static_cast<Dict&>(*value.object); }

std::string type_name(const Value& value) {
  switch (value.kind) {
    case Kind::undefined:
      return "Undefined";
    case Kind::none:
      return "None";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
      return "int";
    case Kind::real:
      return "float";
    case Kind::string:
      return "str";
    case Kind::dict:
      return "dict";
    case Kind::space:
      return "Namespace";
    case Kind::callable:
      return "function";
    case Kind::loop:
      return "LoopContext";
    case Kind::list:
      break;
  }
  constexpr const char* kFlavors[] = {"list",        "tuple",      "range",    "dict_keys",
                                      "dict_values", "dict_items", "iterator", "tuple"};
  return kFlavors[static_cast<int>(as_list(value).flavor)];
}

std::string dict_key(const Value& key) {
  switch (key.kind) {
    case Kind::undefined:
      return "u";
    case Kind::none:
      return "n";
    case Kind::string:
      return "s" + key.chars();
    case Kind::boolean:
    case Kind::integer:
      return "i" + std::to_string(key.integer);
    case Kind::real: {
      constexpr double kExact = 9007199254740992.0;  // 2^53
      if (key.real == std::floor(key.real) && std::fabs(key.real) <= kExact) {
        return "i" + std::to_string(static_cast<int64_t>(key.real));
      }
      std::string bytes = "r";
      bytes.append(reinterpret_cast<const char*>(&key.real), sizeof(key.real));
      return bytes;
    }
    case Kind::list: {
      if (as_list(key).flavor != Flavor::tuple) return "";
      std::string joined = "t";
      for (const Value& item : as_list(key).items) {
        const std::string part = dict_key(item);
        if (part.empty()) return "";
        joined += std::to_string(part.size()) + ":" + part;
      }
      return joined;
    }
    default:
      return "";
  }
}

}  // namespace colonnade::text::jinja
