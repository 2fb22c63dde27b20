#include "colonnade/io/ggml_type.h"

#include <algorithm>
#include <iterator>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr GgmlTypeInfo kTypes[] = {
    {0, "F32", 1, 4},
    {1, "F16", 1, 2},
    {2, "Q4_0", 32, 2 + 16},          // d, nibbles
    {3, "Q4_1", 32, 2 + 2 + 16},      // d, m, nibbles
    {6, "Q5_0", 32, 2 + 4 + 16},      // d, fifth bits, nibbles
    {7, "Q5_1", 32, 2 + 2 + 4 + 16},  // d, m, fifth bits, nibbles
    {8, "Q8_0", 32, 2 + 32},          // d, codes
    {9, "Q8_1", 0, 0},
    {10, "Q2_K", 256, 16 + 64 + 2 + 2},   // sub-scales and sub-mins, codes, d, dmin
    {11, "Q3_K", 256, 32 + 64 + 12 + 2},  // third bits, lower two bits, sub-scales, d
    {12, "Q4_K", 256, 2 + 2 + 12 + 128},  // d, dmin, sub-scales and sub-mins, nibbles
    {13, "Q5_K", 256,
     2 + 2 + 12 + 32 + 128},               // d, dmin, sub-scales and sub-mins, fifth bits, nibbles
    {14, "Q6_K", 256, 128 + 64 + 16 + 2},  // nibbles, upper two bits, sub-scales, d
    {15, "Q8_K", 256, 4 + 256 + 32},       // d as f32, codes, sums of 16 codes
    {16, "IQ2_XXS", 0, 0},
    {17, "IQ2_XS", 0, 0},
    {18, "IQ3_XXS", 0, 0},
    {19, "IQ1_S", 0, 0},
    {20, "IQ4_NL", 32, 2 + 16},  // d, nibbles
    {21, "IQ3_S", 0, 0},
    {22, "IQ2_S", 0, 0},
    {23, "IQ4_XS", 256, 2 + 2 + 4 + 128},  // d, sub-scales: upper two bits, lower four; nibbles
    {24, "I8", 0, 0},
    {25, "I16", 0, 0},
    {26, "I32", 0, 0},
    {27, "I64", 0, 0},
    {28, "F64", 0, 0},
    {29, "IQ1_M", 0, 0},
    {30, "BF16", 1, 2},
    {34, "TQ1_0", 0, 0},
    {35, "TQ2_0", 0, 0},
    {39, "MXFP4", 32, 1 + 16},  // exponent, nibbles
    {40, "NVFP4", 0, 0},
    {41, "Q1_0", 0, 0},
};

}  // namespace

const GgmlTypeInfo* find_ggml_type(uint32_t number) {
  const auto* found = std::ranges::find(kTypes, number, &GgmlTypeInfo::number);
  return found == std::end(kTypes) ? nullptr : found;
}

const GgmlTypeInfo& info_of(GgmlType type) {
  const GgmlTypeInfo* info = find_ggml_type(static_cast<uint32_t>(type));
  CN_ASSERT(info != nullptr && info->block_elements > 0, "ggml type ", static_cast<uint32_t>(type));
  return *info;
}

std::string readable_ggml_types() {
  std::string names;
  for (const GgmlTypeInfo& info : kTypes) {
    if (info.block_elements == 0) continue;
    if (!names.empty()) names += ", ";
    names += info.name;
  }
  return names;
}

}  // namespace colonnade
