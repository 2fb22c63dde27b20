// Ops that sum over ranks. Collectives are called here and nowhere else in ops.
#pragma once

#include "colonnade/ops/matmul.h"

namespace colonnade {

/// residual + bias + sum over ranks of x_r W_r^T, as the exact sum of leaves that every rank count
/// gives the same bits for. x [T, K_r], weight [F, K_r]  ->  [T, F]. `residual` [T, F] or none;
/// written over if it is the last reference. What it enqueued last may still read other ranks'
/// parts: join the device before the next exchange, as every op here does. Source: docs/numerics.md
/// section 4.
Tensor sharded_to_all(Ctx& cx, const Activations& x, const Term& term, Tensor residual);

/// The table's row of each id, from the rank that holds it: `table` [V_r, D] has the rows from
/// `first_id` on.  ids [T] i32, each in [0, V)  ->  [T, D] f32, equal on all ranks.
Tensor embed_over_ranks(Ctx& cx, const Weight& table, int64_t first_id, const Tensor& ids);

}  // namespace colonnade
