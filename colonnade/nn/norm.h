// A norm with its weight.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "colonnade/nn/param.h"
#include "colonnade/ops/norm.h"

namespace colonnade {

struct NormDims {
  NormKind kind = NormKind::rms;
  int64_t dim = 0;
  float eps = 0;
};

/// RMSNorm or LayerNorm (ops/norm.h).
class Norm {
 public:
  /// Declares `name`.weight [dim], and of a LayerNorm `name`.bias [dim] if the files have it; whole
  /// on every rank.
  Norm(ParamSet& params, const std::string& name, NormDims dims) {
    params_.kind = dims.kind;
    params_.eps = dims.eps;
    const Range whole{0, dims.dim};
    params.add(VectorParam{
        .name = name + ".weight", .size = dims.dim, .range = whole, .slot = &params_.weight});
    if (dims.kind != NormKind::layer) return;
    params.add(
        VectorParam{
            .name = name + ".bias", .size = dims.dim, .range = whole, .slot = &params_.bias},
        Presence::optional);
  }
  Norm(const Norm&) = delete;
  Norm& operator=(const Norm&) = delete;

  /// x [T, dim] -> what the consumers read of its norm.
  Activations operator()(Ctx& cx, const Tensor& x,
                         std::initializer_list<const Weight*> consumers) const {
    return norm_for(cx, x, params_, consumers);
  }
  /// norm(x) (+ residual).  x, residual [T, dim]  ->  [T, dim]
  Tensor values(Ctx& cx, Tensor x, const Tensor& residual = {}) const {
    return norm(cx, std::move(x), params_, residual);
  }

 private:
  NormParams params_;
};

}  // namespace colonnade
