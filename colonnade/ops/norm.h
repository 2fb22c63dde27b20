// RMSNorm, in the form that the products behind it read.
#pragma once

#include <initializer_list>

#include "colonnade/tensor/activations.h"
#include "colonnade/tensor/ctx.h"

namespace colonnade {

/// y[t] = x[t] / sqrt(mean(x[t]^2) + eps) * weight.  x [T, D], weight [D]  ->  [T, D]
/// Source: Zhang & Sennrich 2019, "Root Mean Square Layer Normalization", eq. 4.
Tensor rms_norm(Ctx& cx, const Tensor& x, const Tensor& weight, float eps);

/// The same as activations of `consumers`, whose K is D. A value that is not finite is a fault that
/// names the first consumer with codes. Throws Error if the consumers' runs differ.
Activations rms_norm_for(Ctx& cx, const Tensor& x, const Tensor& weight, float eps,
                         std::initializer_list<const Weight*> consumers);

}  // namespace colonnade
