// The formats a matrix has on the way from a file to a kernel, and what a K plan must know of them.
#pragma once

#include <cstdint>

namespace colonnade {

enum class WeightFormat : uint8_t {
  f32,
  bf16,
  f16,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q4_k,
  q5_k,
  q6_k
};

constexpr bool is_grouped(WeightFormat format) { return format >= WeightFormat::q4_0; }

constexpr const char* name_of(WeightFormat format) {
  constexpr const char* kNames[] = {"f32",  "bf16", "f16",  "q4_0", "q4_1", "q5_0",
                                    "q5_1", "q8_0", "q4_k", "q5_k", "q6_k"};
  return kNames[static_cast<int>(format)];
}

/// Elements along K that share the second-level scale (a super-block), 0 for one-level formats.
constexpr int64_t super_block(WeightFormat format) {
  return format >= WeightFormat::q4_k ? 256 : 0;
}

}  // namespace colonnade
