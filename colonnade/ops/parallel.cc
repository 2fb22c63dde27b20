#include "colonnade/ops/parallel.h"

#include <span>

#include "colonnade/base/error.h"
#include "colonnade/comm/group.h"
#include "colonnade/ops/forms.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

const float* data_or_null(const Tensor& tensor) { return tensor ? tensor.f32() : nullptr; }

MatmulCommand exact_product(const Activations& x, const Weight& weight) {
  MatmulCommand command;
  command.x = ref(x);
  command.exact = 1;
  command.count = 1;
  command.parts[0].weight = &weight;
  command.parts[0].stride = weight.rows();
  return command;
}

/// The rank's sums, added over the group, then finished: [T, F] i64 and the count of bad leaves
/// travel together, so every rank raises the same error.
void sum_over_ranks(Ctx& cx, const Activations& x, const Term& term, const Tensor& residual,
                    const Tensor& y) {
  const int64_t cols = term.weight->rows();
  const Tensor sums = cx.workspace.tensor({x.tokens * cols + 1}, DType::i64);
  int64_t* bad_leaves = sums.i64() + x.tokens * cols;
  *bad_leaves = 0;
  MatmulCommand command = exact_product(x, *term.weight);
  command.parts[0].sums = sums.i64();
  command.bad_leaves = bad_leaves;
  cx.device.launch(command, Sync::meet);
  cx.device.join();
  cx.mesh.tensor_parallel->all_reduce(std::span(sums.i64(), bad_leaves + 1));
  cx.device.launch(FinishSumsCommand{.y = y.f32(),
                                     .sums = sums.i64(),
                                     .bias = data_or_null(term.bias),
                                     .residual = data_or_null(residual),
                                     .tokens = x.tokens,
                                     .cols = cols,
                                     .weight = term.weight},
                   Sync::meet);
}

}  // namespace

Tensor sharded_to_all(Ctx& cx, const Activations& x, const Term& term, Tensor residual) {
  const Weight& weight = *term.weight;
  check_form("sharded to all", x, weight);
  CN_CHECK(!term.bias || term.bias.elements() == weight.rows(), "layer ", weight.name(),
           ": bias: expected [", weight.rows(), "], got ", to_string(term.bias.shape()));
  CN_CHECK(!residual || (residual.rows() == x.tokens && residual.cols() == weight.rows()), "layer ",
           weight.name(), ": residual: expected [", x.tokens, ", ", weight.rows(), "], got ",
           to_string(residual.shape()));
  Tensor y = residual.unique() ? residual : cx.workspace.tensor({x.tokens, weight.rows()});
  if (cx.mesh.tensor_parallel->size() > 1) {
    sum_over_ranks(cx, x, term, residual, y);
    return y;
  }
  // A group of one: the same sums, finished where they are made.
  MatmulCommand command = exact_product(x, weight);
  command.parts[0].y = y.f32();
  command.parts[0].bias = data_or_null(term.bias);
  command.parts[0].residual = data_or_null(residual);
  cx.device.launch(command, Sync::meet);  // in place: everybody must have read the residual
  return y;
}

}  // namespace colonnade
