#include "colonnade/io/dense_values.h"

#include <cstring>

#include "colonnade/base/error.h"
#include "colonnade/base/half.h"

namespace colonnade {
namespace {

float to_f32(WeightFormat format, const std::byte* bytes) {
  if (format == WeightFormat::f32) {
    float value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, bytes, sizeof half);
  return format == WeightFormat::f16 ? f16_to_f32(half) : bf16_to_f32(half);
}

}  // namespace

std::vector<float> dense_values(WeightFormat format, std::span<const std::byte> raw) {
  CN_ASSERT(!is_grouped(format), "dense_values: ", name_of(format));
  const auto step = static_cast<size_t>(dense_element_bytes(format));
  std::vector<float> values(raw.size() / step);
  for (size_t i = 0; i < values.size(); ++i) values[i] = to_f32(format, raw.data() + i * step);
  return values;
}

}  // namespace colonnade
