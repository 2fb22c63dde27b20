// Rows of f32 in the types that Colonnade writes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "colonnade/io/ggml_type.h"

namespace colonnade {

/// F32, F16, BF16, Q8_0, Q4_0, Q4_1.
bool is_writable(GgmlType type);
/// Their names, comma-separated, for messages.
std::string writable_ggml_types();

/// `row` as `type`, which is writable; its length is a whole number of blocks. False if a number is
/// not finite, or is so large that it (or the scale of its block) is not finite in the type; `out`
/// is then of no use.
///   out  [row.size() / block_elements * block_bytes]
/// Source: quantize_row_q8_0_ref, quantize_row_q4_0_ref and quantize_row_q4_1_ref of ggml-quants.c;
/// 16-bit floats round half to even.
[[nodiscard]] bool quantize_row(GgmlType type, std::span<const float> row, std::byte* out);

}  // namespace colonnade
