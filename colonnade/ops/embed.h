// Rows by number: the embedding, and picking rows of a tensor.
#pragma once

#include "colonnade/tensor/ctx.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

/// y[t] = table[ids[t]] as f32.  ids [T] i32, each in [0, V)  ->  [T, D]
/// The ids are read on the host now. Throws Error for one out of range.
Tensor embed(Ctx& cx, const Weight& table, const Tensor& ids);

/// y[i] = x[rows[i]].  x [T, D], rows [n] i32 in [0, T)  ->  [n, D]
/// The row numbers are read on the host now. Throws Error for one out of range.
Tensor select_rows(Ctx& cx, const Tensor& x, const Tensor& rows);

/// Index of the largest value of each row, ties to the lower.  x [T, V]  ->  [T] i32
Tensor argmax(Ctx& cx, const Tensor& x);

}  // namespace colonnade
