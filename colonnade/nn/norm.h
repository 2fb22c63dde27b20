// RMSNorm with its weight.
#pragma once

#include <initializer_list>
#include <string>

#include "colonnade/nn/param.h"
#include "colonnade/ops/norm.h"

namespace colonnade {

/// Source: Zhang & Sennrich 2019, "Root Mean Square Layer Normalization".
class RmsNorm {
 public:
  /// Declares `name`.weight [dim], whole on every rank.
  RmsNorm(ParamSet& params, const std::string& name, int64_t dim, float eps) : eps_(eps) {
    params.add(
        VectorParam{.name = name + ".weight", .size = dim, .range = {0, dim}, .slot = &weight_});
  }
  RmsNorm(const RmsNorm&) = delete;
  RmsNorm& operator=(const RmsNorm&) = delete;

  /// x [T, dim] -> what the consumers read of its norm.
  Activations operator()(Ctx& cx, const Tensor& x,
                         std::initializer_list<const Weight*> consumers) const {
    return rms_norm_for(cx, x, weight_, eps_, consumers);
  }

 private:
  Tensor weight_;  // [dim]
  float eps_;
};

}  // namespace colonnade
