#include "colonnade/ops/embed.h"

#include "colonnade/base/error.h"
#include "colonnade/tensor/commands.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

void check_rows(const Tensor& rows, int64_t behind) {
  const int32_t* values = rows.i32();
  for (int64_t i = 0; i < rows.elements(); ++i) {
    CN_CHECK(0 <= values[i] && values[i] < behind, "select rows: row ", i, ": expected 0 to ",
             behind - 1, ", got ", values[i]);
  }
}

}  // namespace

Tensor embed(Ctx& cx, const Weight& table, int64_t first_id, const Tensor& ids) {
  Tensor y = cx.workspace.tensor({ids.elements(), table.k()});
  cx.device.launch(EmbedCommand{.table = &table,
                                .first_id = first_id,
                                .ids = ids.i32(),
                                .y = y.f32(),
                                .tokens = ids.elements()},
                   Sync::meet);
  return y;
}

Tensor select_rows(Ctx& cx, const Tensor& x, const Tensor& rows) {
  check_rows(rows, x.rows());
  Tensor y = cx.workspace.tensor({rows.elements(), x.cols()});
  cx.device.launch(SelectRowsCommand{.x = x.f32(),
                                     .rows = rows.i32(),
                                     .y = y.f32(),
                                     .count = rows.elements(),
                                     .cols = x.cols()},
                   Sync::meet);
  return y;
}

}  // namespace colonnade
