#include "colonnade/io/hf_config.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"
#include "colonnade/base/json.h"

namespace colonnade {
namespace {

using nlohmann::json;

const json& empty_object() {
  static const json kEmpty = json::object();
  return kEmpty;
}

/// Every value of a list, or the one that stands in its place.
template <typename T, typename Read>
std::vector<T> list_of(const JsonValue& value, const Read& read) {
  if (!value.is_list()) return {read(value)};
  std::vector<T> list;
  for (size_t i = 0; i < value.size(); ++i) list.push_back(read(value.at(i)));
  return list;
}

}  // namespace

HfConfig::HfConfig(std::string_view text, std::string where)
    : all_(std::make_shared<const json>(parse_json(text, where))), value_(*all_, std::move(where)) {
  if (!value_.is_object()) value_.refuse("an object");
}

HfConfig::HfConfig(std::shared_ptr<const json> all, JsonValue value)
    : all_(std::move(all)), value_(std::move(value)) {}

HfConfig HfConfig::with_defaults(std::string_view defaults) const {
  HfConfig all = *this;
  all.defaults_ = std::make_shared<const HfConfig>(defaults_ ? defaults_->with_defaults(defaults)
                                                             : HfConfig(defaults, "defaults"));
  return all;
}

const HfConfig& HfConfig::holder(std::string_view name) const {
  return defaults_ && !value_.mentions(name) ? defaults_->holder(name) : *this;
}

bool HfConfig::has(std::string_view name) const { return holder(name).value_.has(name); }

JsonValue HfConfig::field(std::string_view name) const { return holder(name).value_.field(name); }

JsonValue HfConfig::required(std::string_view name) const {
  CN_CHECK(has(name), value_.place(), ": field '", name, "' is missing");
  return field(name);
}

bool HfConfig::is_object(std::string_view name) const {
  return has(name) && field(name).is_object();
}
bool HfConfig::is_list(std::string_view name) const { return has(name) && field(name).is_list(); }
bool HfConfig::is_text(std::string_view name) const { return has(name) && field(name).is_text(); }
bool HfConfig::is_number(std::string_view name) const {
  return has(name) && field(name).is_number();
}
bool HfConfig::is_flag(std::string_view name) const { return has(name) && field(name).is_flag(); }

int64_t HfConfig::integer(std::string_view name) const { return required(name).integer(); }
int64_t HfConfig::integer_or(std::string_view name, int64_t fallback) const {
  return has(name) ? integer(name) : fallback;
}
double HfConfig::number(std::string_view name) const { return required(name).number(); }
double HfConfig::number_or(std::string_view name, double fallback) const {
  return has(name) ? number(name) : fallback;
}
bool HfConfig::flag(std::string_view name) const { return required(name).flag(); }
bool HfConfig::flag_or(std::string_view name, bool fallback) const {
  return has(name) ? flag(name) : fallback;
}
std::string HfConfig::text(std::string_view name) const { return required(name).text(); }
std::string HfConfig::text_or(std::string_view name, std::string_view fallback) const {
  return has(name) ? text(name) : std::string(fallback);
}

std::vector<int64_t> HfConfig::integers(std::string_view name) const {
  if (!has(name)) return {};
  return list_of<int64_t>(field(name), [](const JsonValue& v) { return v.integer(); });
}

std::vector<double> HfConfig::numbers(std::string_view name) const {
  if (!has(name)) return {};
  return list_of<double>(field(name), [](const JsonValue& v) { return v.number(); });
}

std::vector<std::string> HfConfig::texts(std::string_view name) const {
  if (!has(name)) return {};
  return list_of<std::string>(field(name), [](const JsonValue& v) { return v.text(); });
}

std::vector<HfConfig> HfConfig::objects(std::string_view name) const {
  std::vector<HfConfig> list;
  if (!has(name)) return list;
  const JsonValue value = field(name);
  for (size_t i = 0; i < value.size(); ++i) {
    if (!value.at(i).is_object()) value.at(i).refuse("an object");
    list.push_back(HfConfig(holder(name).all_, value.at(i)));
  }
  return list;
}

HfConfig HfConfig::object(std::string_view name) const {
  JsonValue value = required(name);
  if (!value.is_object()) value.refuse("an object");
  return {holder(name).all_, std::move(value)};
}

HfConfig HfConfig::object_or_empty(std::string_view name) const {
  return has(name) ? object(name) : HfConfig(all_, JsonValue(empty_object(), place(name)));
}

std::vector<std::string> HfConfig::names() const {
  std::vector<std::string> names;
  for (const std::string& name : value_.names()) {
    if (has(name)) names.push_back(name);
  }
  return names;
}

void HfConfig::refuse(std::string_view name, std::string_view expected) const {
  required(name).refuse(expected);
}

std::string HfConfig::place(std::string_view name) const { return value_.place_of(name); }

}  // namespace colonnade
