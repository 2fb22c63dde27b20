// The element types of GGUF files: their numbers, names and block sizes.
// Source: the GGUF specification (ggml, docs/gguf.md, "enum ggml_type") and the block structures of
// ggml-common.h.
#pragma once

#include <cstdint>
#include <string>

namespace colonnade {

/// Types that Colonnade reads. The values are the file's.
enum class GgmlType : uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q2_k = 10,
  q3_k = 11,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  q8_k = 15,
  iq4_nl = 20,
  iq4_xs = 23,
  bf16 = 30,
  mxfp4 = 39,
};

/// A type as GGUF numbers it. A block is the smallest piece of a row that has its own bytes.
struct GgmlTypeInfo {
  uint32_t number = 0;
  const char* name = nullptr;
  int block_elements = 0;  // 0: known by name only, not read
  int block_bytes = 0;
};

/// The type with this number, or nullptr if GGUF has none.
const GgmlTypeInfo* find_ggml_type(uint32_t number);

const GgmlTypeInfo& info_of(GgmlType type);

/// The name that people know, such as "Q4_K".
inline const char* name_of(GgmlType type) { return info_of(type).name; }

/// Names of the types that Colonnade reads, comma-separated, for messages.
std::string readable_ggml_types();

}  // namespace colonnade
