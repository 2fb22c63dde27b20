// Rows by number: the embedding, and picking rows of a tensor.
#pragma once

#include "colonnade/tensor/ctx.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

/// y[t] = table[ids[t] - first_id] as f32, zeros where the table has no such row.
/// ids [T] i32, table [V_r, D]  ->  [T, D]
Tensor embed(Ctx& cx, const Weight& table, int64_t first_id, const Tensor& ids);

/// y[i] = x[rows[i]].  x [T, D], rows [n] i32 in [0, T)  ->  [n, D]
/// The row numbers are read on the host now. Throws Error for one out of range.
Tensor select_rows(Ctx& cx, const Tensor& x, const Tensor& rows);

}  // namespace colonnade
