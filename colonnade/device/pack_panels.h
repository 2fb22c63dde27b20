// Packing: rows as files have them into P16 panels. Layout: kernels/p16.h, docs/numerics.md
// section 7.
#pragma once

#include <cstddef>
#include <cstdint>

#include "colonnade/tensor/grouped_rows.h"
#include "colonnade/tensor/k_plan.h"

namespace colonnade {

/// Rows [first, first + 16) of `rows` into one panel; rows behind the last are zero.
///   panel  kernels::panel_bytes, any contents before
void pack_grouped_panel(const GroupedRows& rows, int64_t first, const KPlan& plan, uint8_t* panel);

/// 16 rows of f32 into a panel [K][16].  rows [count, k], count <= 16; others are zero
void pack_f32_panel(const float* rows, int64_t count, int64_t k, float* panel);

/// 64 rows of 16-bit elements into four panels interleaved line by line.
///   rows [count, K], count <= 64; others are zero      panels  zeroed before
void pack_pair_panels(const uint16_t* rows, int64_t count, const KPlan& plan, uint32_t* panels);

}  // namespace colonnade
