#include "colonnade/ops/norm.h"

#include "colonnade/base/error.h"
#include "colonnade/ops/forms.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

void check_vector(const char* what, const Tensor& vector, int64_t cols) {
  CN_CHECK(!vector || vector.elements() == cols, "norm: ", what, ": expected [", cols, "], got ",
           to_string(vector.shape()));
}

NormCommand command_for(const Tensor& x, const NormParams& params) {
  check_vector("weight", params.weight, x.cols());
  check_vector("bias", params.bias, x.cols());
  NormCommand command;
  command.x = x.f32();
  command.weight = params.weight ? params.weight.f32() : nullptr;
  command.bias = params.bias ? params.bias.f32() : nullptr;
  command.eps = params.eps;
  command.kind = params.kind;
  return command;
}

}  // namespace

Tensor norm(Ctx& cx, Tensor x, const NormParams& params, const Tensor& residual) {
  CN_CHECK(!residual || (residual.rows() == x.rows() && residual.cols() == x.cols()),
           "norm: residual: expected ", to_string(x.shape()), ", got ",
           to_string(residual.shape()));
  NormCommand command = command_for(x, params);
  if (residual) command.residual = residual.f32();
  Activations y;
  y.tokens = x.rows();
  y.k = x.cols();
  y.values = x.unique() ? x : cx.workspace.tensor({x.rows(), x.cols()});
  command.out = ref(y);
  cx.device.launch(command, Sync::meet);
  return y.values;
}

Activations norm_for(Ctx& cx, const Tensor& x, const NormParams& params,
                     std::initializer_list<const Weight*> consumers) {
  Forms forms = forms_for(consumers, x.cols());
  if (cx.probe) forms.values = true;
  NormCommand command = command_for(x, params);
  const Activations y =
      make_activations(cx, forms, x.rows(), x.cols(), replicas_for(cx.device, x.rows(), x.cols()));
  command.out = ref(y);
  cx.device.launch(command, Sync::meet);
  return y;
}

}  // namespace colonnade
