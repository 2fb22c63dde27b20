// The key-value part of a GGUF file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace colonnade {

/// Value types, numbered as in the file. Source: the GGUF specification, "enum
/// gguf_metadata_value_type".
enum class GgufValueType : uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64
};

/// Bytes of one value of a fixed-size type; 0 for strings and arrays.
int64_t size_of(GgufValueType type);
/// "u32", "string", ...
const char* name_of(GgufValueType type);

/// Many strings in one piece of memory: as many bytes as they take in the file.
class StringArray {
 public:
  StringArray() = default;
  /// `ends[i]` is where string i ends in `bytes`; the first begins at 0.
  StringArray(std::string bytes, std::vector<uint64_t> ends);

  int64_t size() const { return static_cast<int64_t>(ends_.size()); }
  std::string_view operator[](int64_t index) const;

 private:
  std::string bytes_;
  std::vector<uint64_t> ends_;
};

/// An array of strings, or the file's bytes of an array of numbers or of arrays. No key of a known
/// architecture is an array of arrays; such a one is carried from file to file.
struct GgufArray {
  GgufValueType element_type = GgufValueType::u8;
  int64_t size = 0;
  std::vector<std::byte> numbers;
  StringArray strings;
};

/// The file's integers are uint64_t or int64_t here, by their sign in the file; f32 and f64 are
/// double.
struct GgufValue {
  GgufValueType type = GgufValueType::u8;
  std::variant<uint64_t, int64_t, double, bool, std::string, std::shared_ptr<const GgufArray>> data;
};

struct GgufEntry {
  std::string key;
  GgufValue value;
  int64_t offset = 0;  // of the key in the file
};

/// Typed look-up. The functions without `_or` throw Error if the key is missing; all throw, naming
/// the file and the key, if the value has another type or does not fit. Immutable, so any number of
/// threads may read it.
class GgufMetadata {
 public:
  GgufMetadata() = default;
  /// `source` is named in messages. Throws Error if a key comes twice.
  GgufMetadata(std::string source, std::vector<GgufEntry> entries);

  /// In file order.
  const std::vector<GgufEntry>& entries() const { return entries_; }
  const GgufValue* find(std::string_view key) const;
  /// Throws Error: the file, `key`, `problem` ("expected .., got .."), and the key's offset if the
  /// file has it.
  [[noreturn]] void refuse(std::string_view key, const std::string& problem) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// Any integer type.
  int64_t integer(std::string_view key) const;
  int64_t integer_or(std::string_view key, int64_t fallback) const;
  /// Any floating or integer type.
  double number(std::string_view key) const;
  double number_or(std::string_view key, double fallback) const;
  bool flag_or(std::string_view key, bool fallback) const;
  const std::string& text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string_view fallback) const;
  bool is_array(std::string_view key) const;
  const StringArray& strings(std::string_view key) const;
  /// Bools.
  std::vector<bool> flags(std::string_view key) const;
  std::vector<int64_t> integers(std::string_view key) const;
  std::vector<float> numbers(std::string_view key) const;

 private:
  const GgufValue& require(std::string_view key, const char* expected) const;
  const GgufArray& array(std::string_view key, const char* expected) const;
  int64_t to_integer(std::string_view key, const GgufValue& value) const;
  double to_number(std::string_view key, const GgufValue& value) const;
  [[noreturn]] void mismatch(std::string_view key, const char* expected,
                             const GgufValue& value) const;

  const GgufEntry* find_entry(std::string_view key) const;

  std::string source_;
  std::vector<GgufEntry> entries_;
  std::vector<uint32_t> by_key_;  // indices into entries_, sorted by key
};

}  // namespace colonnade
