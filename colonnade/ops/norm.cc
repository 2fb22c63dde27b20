#include "colonnade/ops/norm.h"

#include "colonnade/base/error.h"
#include "colonnade/ops/forms.h"
#include "colonnade/tensor/device.h"

namespace colonnade {
namespace {

Activations normalised(Ctx& cx, const Tensor& x, const Tensor& weight, float eps,
                       const Forms& forms, int64_t replicas) {
  CN_CHECK(weight.elements() == x.cols(), "rms_norm: weight: expected [", x.cols(), "], got ",
           to_string(weight.shape()));
  Activations y = make_activations(cx, forms, x.rows(), x.cols(), replicas);
  cx.device.launch(NormCommand{.x = x.f32(), .weight = weight.f32(), .eps = eps, .out = ref(y)},
                   Sync::meet);
  return y;
}

}  // namespace

Tensor rms_norm(Ctx& cx, const Tensor& x, const Tensor& weight, float eps) {
  return normalised(cx, x, weight, eps, Forms{.values = true}, 1).values;
}

Activations rms_norm_for(Ctx& cx, const Tensor& x, const Tensor& weight, float eps,
                         std::initializer_list<const Weight*> consumers) {
  Forms forms = forms_for(consumers, x.cols());
  if (cx.probe) forms.values = true;
  return normalised(cx, x, weight, eps, forms, replicas_for(cx.device, x.rows(), x.cols()));
}

}  // namespace colonnade
