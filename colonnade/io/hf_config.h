// An object of a model's JSON files (config.json, generation_config.json, ...): typed look-ups that
// say which file and field is wrong.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "colonnade/base/json_value.h"

namespace colonnade {

/// Errors read "FOLDER/config.json: rope_scaling.factor: expected a number, got 'x'". A field that
/// is null is absent. Immutable; copies share the text.
class HfConfig {
 public:
  /// Throws Error unless `text` is a JSON object. `where` names it in messages.
  HfConfig(std::string_view text, std::string where);

  /// The same, where fields that it does not mention at all have the values of `defaults`, a JSON
  /// object; earlier defaults come first. A field that is null stays absent.
  HfConfig with_defaults(std::string_view defaults) const;

  bool has(std::string_view name) const;
  /// Of a field that is there: what it is. false if it is absent.
  bool is_object(std::string_view name) const;
  bool is_list(std::string_view name) const;
  bool is_text(std::string_view name) const;
  bool is_number(std::string_view name) const;
  bool is_flag(std::string_view name) const;

  /// The functions without `_or` throw Error if the field is absent; all throw if it is something
  /// else.
  int64_t integer(std::string_view name) const;
  int64_t integer_or(std::string_view name, int64_t fallback) const;
  double number(std::string_view name) const;
  double number_or(std::string_view name, double fallback) const;
  bool flag(std::string_view name) const;
  bool flag_or(std::string_view name, bool fallback) const;
  std::string text(std::string_view name) const;
  std::string text_or(std::string_view name, std::string_view fallback) const;

  /// A list; one value is a list of one, absence an empty list.
  std::vector<int64_t> integers(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  /// Absence: an empty list. Throws Error if it is no list of objects.
  std::vector<HfConfig> objects(std::string_view name) const;

  HfConfig object(std::string_view name) const;
  /// Without fields if it is absent.
  HfConfig object_or_empty(std::string_view name) const;

  /// Its fields that are not null, sorted.
  std::vector<std::string> names() const;

  /// Throws Error: "FILE: name: expected `expected`, got ...".
  [[noreturn]] void refuse(std::string_view name, std::string_view expected) const;
  /// "FILE: rope_scaling.type"
  std::string place(std::string_view name) const;

 private:
  HfConfig(std::shared_ptr<const nlohmann::json> all, JsonValue value);

  /// This, or those of the defaults that have the field.
  const HfConfig& holder(std::string_view name) const;
  JsonValue field(std::string_view name) const;
  JsonValue required(std::string_view name) const;

  std::shared_ptr<const nlohmann::json> all_;
  JsonValue value_;
  std::shared_ptr<const HfConfig> defaults_;  // nullptr: none
};

}  // namespace colonnade
