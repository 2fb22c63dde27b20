// Ops that look at one element at a time.
#pragma once

#include "colonnade/tensor/ctx.h"
#include "colonnade/tensor/tensor.h"

namespace colonnade {

/// y * factor + x, or y * factor without x.  y, x [T, D]  ->  [T, D]; in place of y if it is the
/// last reference.
Tensor scale_add(Ctx& cx, Tensor y, float factor, const Tensor& x = {});

/// cap * tanh(x / cap).  x [T, D]  ->  [T, D]; in place of x, which has to be the last reference.
/// Source: Gemma Team 2024, "Gemma 2", section 2, "Logit soft-capping".
Tensor soft_cap(Ctx& cx, Tensor x, float cap);

}  // namespace colonnade
