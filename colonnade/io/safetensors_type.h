// The element types of the safetensors format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace colonnade {

/// Source: the format's reference implementation, enum Dtype.
enum class SafetensorsType : uint8_t {
  boolean,
  f4,
  f6_e2m3,
  f6_e3m2,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  f8_e5m2fnuz,
  f8_e4m3fnuz,
  f8_e8m0,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  c64,
  f64,
  i64,
  u64
};

struct SafetensorsTypeInfo {
  const char* name;  // in a header
  int bits;          // of an element
};

constexpr SafetensorsTypeInfo kSafetensorsTypes[] = {
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},
    {"I8", 8},      {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E5M2FNUZ", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E8M0", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},        {"BF16", 16},
    {"I32", 32},    {"U32", 32},    {"F32", 32},    {"C64", 64},        {"F64", 64},
    {"I64", 64},    {"U64", 64},
};

constexpr const SafetensorsTypeInfo& info_of(SafetensorsType type) {
  return kSafetensorsTypes[static_cast<int>(type)];
}

constexpr const char* name_of(SafetensorsType type) { return info_of(type).name; }

constexpr std::optional<SafetensorsType> find_safetensors_type(std::string_view name) {
  int number = 0;
  for (const SafetensorsTypeInfo& info : kSafetensorsTypes) {
    if (info.name == name) return static_cast<SafetensorsType>(number);
    ++number;
  }
  return std::nullopt;
}

/// All names, for a message: "BOOL, F4, ..."
inline std::string safetensors_type_names() {
  std::string names;
  for (const SafetensorsTypeInfo& info : kSafetensorsTypes) {
    names += names.empty() ? info.name : std::string(", ") + info.name;
  }
  return names;
}

}  // namespace colonnade
