#include "colonnade/ops/elementwise.h"

#include "colonnade/base/error.h"
#include "colonnade/tensor/commands.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {

Tensor scale_add(Ctx& cx, Tensor y, float factor, const Tensor& x) {
  CN_CHECK(!x || (x.rows() == y.rows() && x.cols() == y.cols()), "scale_add: x: expected ",
           to_string(y.shape()), ", got ", to_string(x.shape()));
  Tensor out = y.unique() ? y : cx.workspace.tensor({y.rows(), y.cols()});
  cx.device.launch(ScaleAddCommand{.y = out.f32(),
                                   .from = y.f32(),
                                   .x = x ? x.f32() : nullptr,
                                   .factor = factor,
                                   .tokens = y.rows(),
                                   .cols = y.cols()},
                   Sync::meet);
  return out;
}

Tensor soft_cap(Ctx& cx, Tensor x, float cap) {
  CN_CHECK(cap > 0, "soft_cap: expected a positive cap, got ", cap);
  CN_ASSERT(x.unique(), "soft_cap in place");
  cx.device.launch(SoftCapCommand{.x = x.f32(), .cap = cap, .tokens = x.rows(), .cols = x.cols()},
                   Sync::meet);
  return x;
}

}  // namespace colonnade
