#include "colonnade/base/json_value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

using nlohmann::json;

/// In a message: what kind it is where it has many parts, else itself.
std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return concat("a list of ", value.size());
  if (value.is_string()) return quote(value.get_ref<const std::string&>());
  return value.dump();
}

}  // namespace

JsonValue::JsonValue(const json& value, std::string where)
    : JsonValue(value, std::move(where), "") {}

JsonValue::JsonValue(const json& value, std::string where, std::string path)
    : value_(&value), where_(std::move(where)), path_(std::move(path)) {}

std::string JsonValue::place() const { return path_.empty() ? where_ : where_ + ": " + path_; }

std::string JsonValue::path_of(std::string_view name) const {
  return path_ + (path_.empty() ? "" : ".") + std::string(name);
}

std::string JsonValue::place_of(std::string_view name) const {
  return where_ + ": " + path_of(name);
}

void JsonValue::refuse(std::string_view what) const {
  throw Error(concat(place(), ": expected ", what, ", got ", shown(*value_)));
}

void JsonValue::check_fields(std::initializer_list<std::string_view> names) const {
  if (!value_->is_object()) refuse("an object");
  for (const std::string_view name : names) {
    CN_CHECK(value_->contains(name), place(), ": field '", name, "' is missing");
  }
  for (const auto& [name, value] : value_->items()) {
    CN_CHECK(std::find(names.begin(), names.end(), name) != names.end(), place(),
             ": unknown field ", quote(name));
  }
}

JsonValue JsonValue::field(std::string_view name) const {
  if (!value_->is_object()) refuse("an object");
  const auto found = value_->find(name);
  CN_CHECK(found != value_->end(), place(), ": field '", name, "' is missing");
  return {*found, where_, path_of(name)};
}

std::vector<std::string> JsonValue::names() const {
  if (!value_->is_object()) refuse("an object");
  std::vector<std::string> names;
  for (const auto& [name, value] : value_->items()) names.push_back(name);
  return names;
}

bool JsonValue::has(std::string_view name) const {
  if (!value_->is_object()) refuse("an object");
  const auto found = value_->find(name);
  return found != value_->end() && !found->is_null();
}

bool JsonValue::mentions(std::string_view name) const {
  if (!value_->is_object()) refuse("an object");
  return value_->contains(name);
}

size_t JsonValue::size() const {
  if (!value_->is_array()) refuse("a list");
  return value_->size();
}

JsonValue JsonValue::at(size_t index) const {
  CN_ASSERT(index < size(), place(), "[", index, "] of ", size());
  return {(*value_)[index], where_, path_ + "[" + std::to_string(index) + "]"};
}

namespace {

/// What is too large for an int64_t is unsigned, and would become negative.
bool fits_int64(const json& value) {
  return value.is_number_integer() &&
         (!value.is_number_unsigned() ||
          value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()});
}

}  // namespace

int64_t JsonValue::integer(int64_t least, int64_t most) const {
  const auto within = [&](int64_t value) { return value >= least && value <= most; };
  if (!fits_int64(*value_) || !within(value_->get<int64_t>()))
    refuse(concat("an integer from ", least, " to ", most));
  return value_->get<int64_t>();
}

int64_t JsonValue::integer() const {
  if (!fits_int64(*value_)) refuse("an integer of 64 bits");
  return value_->get<int64_t>();
}

uint64_t JsonValue::unsigned_integer() const {
  if (!value_->is_number_unsigned()) refuse("an integer from 0 to 2^64 - 1");
  return value_->get<uint64_t>();
}

double JsonValue::number() const {
  if (!value_->is_number()) refuse("a number");
  return value_->get<double>();
}

float JsonValue::real() const {
  const bool fits = value_->is_number() &&
                    std::fabs(value_->get<double>()) <= double{std::numeric_limits<float>::max()};
  if (!fits) refuse("a number that 32 bits can hold");
  return value_->get<float>();
}

bool JsonValue::flag() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

bool JsonValue::is_object() const { return value_->is_object(); }
bool JsonValue::is_list() const { return value_->is_array(); }
bool JsonValue::is_text() const { return value_->is_string(); }
bool JsonValue::is_number() const { return value_->is_number(); }
bool JsonValue::is_flag() const { return value_->is_boolean(); }

const std::string& JsonValue::text() const {
  if (!value_->is_string()) refuse("a text");
  return value_->get_ref<const std::string&>();
}

}  // namespace colonnade
