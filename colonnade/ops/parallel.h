// Ops that sum over ranks. Collectives are called here and nowhere else in ops.
#pragma once

#include "colonnade/ops/matmul.h"

namespace colonnade {

/// residual + bias + sum over ranks of x_r W_r^T, as the exact sum of leaves that every rank count
/// gives the same bits for. x [T, K_r], weight [F, K_r]  ->  [T, F]. `residual` [T, F] or none;
/// written over if it is the last reference. Source: docs/numerics.md section 4.
Tensor sharded_to_all(Ctx& cx, const Activations& x, const Term& term, Tensor residual);

}  // namespace colonnade
