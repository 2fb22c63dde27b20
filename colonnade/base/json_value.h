// A value inside of JSON that strangers wrote, with its place: what is wrong with it is said by
// name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace colonnade {

/// Errors read "receipt.json: sampling.top_k: expected an integer from -1 to 100, got 'many'". The
/// JSON must outlive it.
class JsonValue {
 public:
  /// All of the JSON that stands in `where`.
  JsonValue(const nlohmann::json& value, std::string where);

  /// Throws Error if it is no object, lacks one of these fields or has others.
  void check_fields(std::initializer_list<std::string_view> names) const;
  /// Throws Error if it is no object or has no such field.
  JsonValue field(std::string_view name) const;
  /// The names of its fields. Throws Error if it is no object.
  std::vector<std::string> names() const;
  /// Has it a field `name` that is not null? Throws Error if it is no object.
  bool has(std::string_view name) const;
  /// The same, null or not.
  bool mentions(std::string_view name) const;

  /// Throws Error if it is no list.
  size_t size() const;
  JsonValue at(size_t index) const;

  /// Throw Error if it is something else, or out of range. real(): a number that a float can hold.
  int64_t integer(int64_t least, int64_t most) const;
  int64_t integer() const;
  uint64_t unsigned_integer() const;
  double number() const;
  float real() const;
  bool flag() const;
  const std::string& text() const;

  bool is_object() const;
  bool is_list() const;
  bool is_text() const;
  bool is_number() const;
  bool is_flag() const;

  /// Throws Error: "PLACE: expected `what`, got ...".
  [[noreturn]] void refuse(std::string_view what) const;
  /// "receipt.json: sampling.top_k"
  std::string place() const;
  /// Where its field `name` is or would be.
  std::string place_of(std::string_view name) const;

 private:
  JsonValue(const nlohmann::json& value, std::string where, std::string path);
  std::string path_of(std::string_view name) const;

  const nlohmann::json* value_;
  std::string where_;
  std::string path_;  // empty: all of it
};

}  // namespace colonnade
