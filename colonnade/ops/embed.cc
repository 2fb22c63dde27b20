#include "colonnade/ops/embed.h"

#include "colonnade/base/error.h"
#include "colonnade/tensor/commands.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

void check_indices(const char* op, const char* what, const Tensor& indices, int64_t behind) {
  const int32_t* values = indices.i32();
  for (int64_t i = 0; i < indices.elements(); ++i) {
    CN_CHECK(0 <= values[i] && values[i] < behind, op, ": ", what, " ", i, ": expected 0 to ",
             behind - 1, ", got ", values[i]);
  }
}

}  // namespace

Tensor embed(Ctx& cx, const Weight& table, const Tensor& ids) {
  check_indices("embed", "token", ids, table.rows());
  Tensor y = cx.workspace.tensor({ids.elements(), table.k()});
  cx.device.launch(
      EmbedCommand{.table = &table, .ids = ids.i32(), .y = y.f32(), .tokens = ids.elements()},
      Sync::meet);
  return y;
}

Tensor select_rows(Ctx& cx, const Tensor& x, const Tensor& rows) {
  check_indices("select rows", "row", rows, x.rows());
  Tensor y = cx.workspace.tensor({rows.elements(), x.cols()});
  cx.device.launch(SelectRowsCommand{.x = x.f32(),
                                     .rows = rows.i32(),
                                     .y = y.f32(),
                                     .count = rows.elements(),
                                     .cols = x.cols()},
                   Sync::meet);
  return y;
}

Tensor argmax(Ctx& cx, const Tensor& x) {
  CN_CHECK(x.cols() >= 1, "argmax: expected at least one column, got ", to_string(x.shape()));
  Tensor y = cx.workspace.tensor({x.rows()}, DType::i32);
  cx.device.launch(ArgmaxCommand{.x = x.f32(), .y = y.i32(), .tokens = x.rows(), .cols = x.cols()},
                   Sync::meet);
  return y;
}

}  // namespace colonnade
