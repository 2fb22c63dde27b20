// Normalisation of rows, in the form that the products behind it read.
#pragma once

#include <initializer_list>

#include "colonnade/tensor/activations.h"
#include "colonnade/tensor/commands.h"
#include "colonnade/tensor/ctx.h"

namespace colonnade {

/// rms    y = x / sqrt(mean(x^2) + eps) * weight
/// layer  y = (x - mean(x)) / sqrt(variance(x) + eps) * weight + bias
/// Source: Zhang & Sennrich 2019, "Root Mean Square Layer Normalization", eq. 4; Ba et al. 2016,
/// "Layer Normalization".
struct NormParams {
  NormKind kind = NormKind::rms;
  Tensor weight = {};  // [D], none: ones
  Tensor bias = {};    // [D] or none; layer norm only
  float eps = 0;
};

/// norm(x) (+ residual).  x, residual [T, D]  ->  [T, D]; in place of x if it is the last
/// reference.
Tensor norm(Ctx& cx, Tensor x, const NormParams& params, const Tensor& residual = {});

/// norm(x) as activations of `consumers`, whose K is D. A value that is not finite is a fault that
/// names the first consumer with codes. Throws Error if the consumers' runs differ.
Activations norm_for(Ctx& cx, const Tensor& x, const NormParams& params,
                     std::initializer_list<const Weight*> consumers);

}  // namespace colonnade
