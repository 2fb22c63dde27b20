#include "colonnade/io/gguf_keys.h"

#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

template <typename T>
GgufValue array_of(GgufValueType type, const std::vector<T>& values) {
  GgufArray array;
  array.element_type = type;
  array.size = static_cast<int64_t>(values.size());
  array.numbers.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(array.numbers.data(), values.data(), array.numbers.size());
  return {GgufValueType::array, std::make_shared<const GgufArray>(std::move(array))};
}

}  // namespace

void GgufKeys::add(std::string key, GgufValue value) {
  entries.push_back({std::move(key), std::move(value)});
}

void GgufKeys::integer(std::string key, int64_t value) {
  CN_ASSERT(value >= 0 && value <= std::numeric_limits<uint32_t>::max(), "gguf key: ", key,
            ": no u32: ", value);
  add(std::move(key), {GgufValueType::u32, static_cast<uint64_t>(value)});
}

void GgufKeys::number(std::string key, double value) {
  add(std::move(key), {GgufValueType::f32, value});
}

void GgufKeys::flag(std::string key, bool value) {
  add(std::move(key), {GgufValueType::boolean, value});
}

void GgufKeys::text(std::string key, std::string value) {
  add(std::move(key), {GgufValueType::string, std::move(value)});
}

void GgufKeys::texts(std::string key, const std::vector<std::string>& values) {
  std::string bytes;
  std::vector<uint64_t> ends;
  for (const std::string& value : values) {
    bytes += value;
    ends.push_back(bytes.size());
  }
  GgufArray array;
  array.element_type = GgufValueType::string;
  array.size = static_cast<int64_t>(values.size());
  array.strings = StringArray(std::move(bytes), std::move(ends));
  add(std::move(key), {GgufValueType::array, std::make_shared<const GgufArray>(std::move(array))});
}

void GgufKeys::numbers(std::string key, const std::vector<int32_t>& values) {
  add(std::move(key), array_of(GgufValueType::i32, values));
}

void GgufKeys::numbers(std::string key, const std::vector<int64_t>& values) {
  add(std::move(key), array_of(GgufValueType::i64, values));
}

void GgufKeys::numbers(std::string key, const std::vector<float>& values) {
  add(std::move(key), array_of(GgufValueType::f32, values));
}

void GgufKeys::numbers(std::string key, const std::vector<double>& values) {
  add(std::move(key), array_of(GgufValueType::f64, values));
}

}  // namespace colonnade
