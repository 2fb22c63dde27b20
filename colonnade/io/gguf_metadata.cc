#include "colonnade/io/gguf_metadata.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/quote.h"

namespace colonnade {
namespace {

constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();

/// "a string", "an array of u8", ... for messages.
std::string describe(const GgufValue& value) {
  if (value.type != GgufValueType::array) return concat("a value of type ", name_of(value.type));
  const auto& array = *std::get<std::shared_ptr<const GgufArray>>(value.data);
  return concat("an array of ", name_of(array.element_type));
}

template <typename T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

bool is_integer(GgufValueType type) {
  switch (type) {
    case GgufValueType::u8:
    case GgufValueType::i8:
    case GgufValueType::u16:
    case GgufValueType::i16:
    case GgufValueType::u32:
    case GgufValueType::i32:
    case GgufValueType::u64:
    case GgufValueType::i64:
      return true;
    default:
      return false;
  }
}

/// An integer element as int64_t; a u64 above its range wraps, which the caller must exclude.
int64_t integer_element(GgufValueType type, const std::byte* bytes) {
  switch (type) {
    case GgufValueType::u8:
      return load<uint8_t>(bytes);
    case GgufValueType::i8:
      return load<int8_t>(bytes);
    case GgufValueType::u16:
      return load<uint16_t>(bytes);
    case GgufValueType::i16:
      return load<int16_t>(bytes);
    case GgufValueType::u32:
      return load<uint32_t>(bytes);
    case GgufValueType::i32:
      return load<int32_t>(bytes);
    default:
      return load<int64_t>(bytes);
  }
}

float float_element(GgufValueType type, const std::byte* bytes) {
  if (type == GgufValueType::f32) return load<float>(bytes);
  if (type == GgufValueType::f64) return static_cast<float>(load<double>(bytes));
  if (type == GgufValueType::u64) return static_cast<float>(load<uint64_t>(bytes));
  return static_cast<float>(integer_element(type, bytes));
}

}  // namespace

int64_t size_of(GgufValueType type) {
  switch (type) {
    case GgufValueType::u8:
    case GgufValueType::i8:
    case GgufValueType::boolean:
      return 1;
    case GgufValueType::u16:
    case GgufValueType::i16:
      return 2;
    case GgufValueType::u32:
    case GgufValueType::i32:
    case GgufValueType::f32:
      return 4;
    case GgufValueType::u64:
    case GgufValueType::i64:
    case GgufValueType::f64:
      return 8;
    case GgufValueType::string:
    case GgufValueType::array:
      return 0;
  }
  return 0;
}

const char* name_of(GgufValueType type) {
  constexpr const char* kNames[] = {"u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                    "bool", "string", "array", "u64", "i64", "f64"};
  const auto index = static_cast<uint32_t>(type);
  return index < std::size(kNames) ? kNames[index] : "?";
}

StringArray::StringArray(std::string bytes, std::vector<uint64_t> ends)
    : bytes_(std::move(bytes)), ends_(std::move(ends)) {
  CN_ASSERT(std::ranges::is_sorted(ends_) && (ends_.empty() || ends_.back() == bytes_.size()),
            "StringArray: the ends do not match ", bytes_.size(), " bytes");
}

std::string_view StringArray::operator[](int64_t index) const {
  CN_ASSERT(index >= 0 && index < size(), "StringArray: index ", index, " of ", size());
  const auto i = static_cast<size_t>(index);
  const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(bytes_).substr(begin, ends_[i] - begin);
}

GgufMetadata::GgufMetadata(std::string source, std::vector<GgufEntry> entries)
    : source_(std::move(source)), entries_(std::move(entries)), by_key_(entries_.size()) {
  std::iota(by_key_.begin(), by_key_.end(), 0U);
  const auto key_of = [this](uint32_t i) -> const std::string& { return entries_[i].key; };
  std::ranges::stable_sort(by_key_, {}, key_of);
  const auto twice = std::ranges::adjacent_find(by_key_, {}, key_of);
  if (twice == by_key_.end()) return;
  throw Error(concat(source_, ": metadata key ", quote(key_of(*twice)), ": comes twice, at offset ",
                     entries_[*twice].offset, " and at offset ", entries_[*(twice + 1)].offset));
}

const GgufEntry* GgufMetadata::find_entry(std::string_view key) const {
  const auto key_of = [this](uint32_t i) { return std::string_view(entries_[i].key); };
  const auto found = std::ranges::lower_bound(by_key_, key, {}, key_of);
  if (found == by_key_.end() || key_of(*found) != key) return nullptr;
  return &entries_[*found];
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const GgufEntry* entry = find_entry(key);
  return entry == nullptr ? nullptr : &entry->value;
}

void GgufMetadata::refuse(std::string_view key, const std::string& problem) const {
  const GgufEntry* entry = find_entry(key);
  throw Error(concat(source_, ": metadata key ", quote(key), ": ", problem,
                     entry == nullptr ? "" : concat(" (offset ", entry->offset, ")")));
}

int64_t GgufMetadata::integer(std::string_view key) const {
  return to_integer(key, require(key, "an integer"));
}

int64_t GgufMetadata::integer_or(std::string_view key, int64_t fallback) const {
  const GgufValue* value = find(key);
  return value == nullptr ? fallback : to_integer(key, *value);
}

double GgufMetadata::number(std::string_view key) const {
  return to_number(key, require(key, "a number"));
}

double GgufMetadata::number_or(std::string_view key, double fallback) const {
  const GgufValue* value = find(key);
  return value == nullptr ? fallback : to_number(key, *value);
}

bool GgufMetadata::flag_or(std::string_view key, bool fallback) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return fallback;
  if (const bool* flag = std::get_if<bool>(&value->data)) return *flag;
  mismatch(key, "a bool", *value);
}

const std::string& GgufMetadata::text(std::string_view key) const {
  const GgufValue& value = require(key, "a string");
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  mismatch(key, "a string", value);
}

std::string GgufMetadata::text_or(std::string_view key, std::string_view fallback) const {
  return has(key) ? text(key) : std::string(fallback);
}

const StringArray& GgufMetadata::strings(std::string_view key) const {
  constexpr const char* kExpected = "an array of strings";
  const GgufArray& values = array(key, kExpected);
  if (values.element_type != GgufValueType::string) mismatch(key, kExpected, *find(key));
  return values.strings;
}

bool GgufMetadata::is_array(std::string_view key) const {
  const GgufValue* value = find(key);
  return value != nullptr && value->type == GgufValueType::array;
}

std::vector<bool> GgufMetadata::flags(std::string_view key) const {
  constexpr const char* kExpected = "an array of bools";
  const GgufArray& values = array(key, kExpected);
  if (values.element_type != GgufValueType::boolean) mismatch(key, kExpected, *find(key));
  std::vector<bool> out(values.numbers.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = values.numbers[i] != std::byte{0};
  return out;
}

std::vector<int64_t> GgufMetadata::integers(std::string_view key) const {
  constexpr const char* kExpected = "an array of integers";
  const GgufArray& values = array(key, kExpected);
  if (!is_integer(values.element_type)) mismatch(key, kExpected, *find(key));
  const int64_t step = size_of(values.element_type);
  std::vector<int64_t> out(static_cast<size_t>(values.size));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] =
        integer_element(values.element_type, values.numbers.data() + i * static_cast<size_t>(step));
    if (values.element_type == GgufValueType::u64 && out[i] < 0) {
      refuse(key, concat("element ", i, ": expected at most ", kLargest, ", got ",
                         static_cast<uint64_t>(out[i])));
    }
  }
  return out;
}

std::vector<float> GgufMetadata::numbers(std::string_view key) const {
  constexpr const char* kExpected = "an array of numbers";
  const GgufArray& values = array(key, kExpected);
  const int64_t step = size_of(values.element_type);
  if (step == 0 || values.element_type == GgufValueType::boolean)
    mismatch(key, kExpected, *find(key));
  std::vector<float> out(static_cast<size_t>(values.size));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] =
        float_element(values.element_type, values.numbers.data() + i * static_cast<size_t>(step));
  }
  return out;
}

const GgufValue& GgufMetadata::require(std::string_view key, const char* expected) const {
  const GgufValue* value = find(key);
  if (value == nullptr)
    refuse(key, concat("expected ", expected, ", but the file has no such key"));
  return *value;
}

const GgufArray& GgufMetadata::array(std::string_view key, const char* expected) const {
  const GgufValue& value = require(key, expected);
  if (const auto* array = std::get_if<std::shared_ptr<const GgufArray>>(&value.data))
    return **array;
  mismatch(key, expected, value);
}

int64_t GgufMetadata::to_integer(std::string_view key, const GgufValue& value) const {
  if (const auto* number = std::get_if<int64_t>(&value.data)) return *number;
  const auto* number = std::get_if<uint64_t>(&value.data);
  if (number == nullptr) mismatch(key, "an integer", value);
  if (*number > kLargest) refuse(key, concat("expected at most ", kLargest, ", got ", *number));
  return static_cast<int64_t>(*number);
}

double GgufMetadata::to_number(std::string_view key, const GgufValue& value) const {
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  if (const auto* number = std::get_if<int64_t>(&value.data)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<uint64_t>(&value.data)) return static_cast<double>(*number);
  mismatch(key, "a number", value);
}

void GgufMetadata::mismatch(std::string_view key, const char* expected,
                            const GgufValue& value) const {
  refuse(key, concat("expected ", expected, ", got ", describe(value)));
}

}  // namespace colonnade
