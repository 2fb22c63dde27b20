#include "colonnade/ops/parallel.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "colonnade/base/error.h"
#include "colonnade/comm/collectives.h"
#include "colonnade/ops/embed.h"
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

/// One sum over ranks, tile by tile of the weight's rows: while a tile's sums are on their way, the
/// next tile is computed.
class SumOverRanks {
 public:
  SumOverRanks(Ctx& cx, const Activations& x, const Term& term, const Tensor& residual,
               const Tensor& y)
      : cx_(cx), group_(*cx.mesh.tensor_parallel), x_(x), term_(term), residual_(residual), y_(y) {}

  void run() {
    const int64_t rows = term_.weight->rows();
    const int64_t most = tile_rows();
    Range before;
    for (int64_t begin = 0; begin < rows; begin += most) {
      const Range tile{begin, std::min(begin + most, rows)};
      compute(tile);
      if (!before.empty()) finish(before);
      cx_.device.join();
      group_.publish(part_bytes(tile.size()));
      before = tile;
    }
    if (!before.empty()) finish(before);
  }

 private:
  static constexpr int64_t kTileUnit = 64;  // MatmulPart::rows

  /// A tile's sums, then the count of its bad leaves: every rank raises the same error.
  int64_t part_bytes(int64_t rows) const {
    return (x_.tokens * rows + 1) * static_cast<int64_t>(sizeof(int64_t));
  }

  int64_t tile_rows() const {
    const int64_t values = group_.largest_part() / static_cast<int64_t>(sizeof(int64_t)) - 1;
    const int64_t rows = values / std::max<int64_t>(x_.tokens, 1) / kTileUnit * kTileUnit;
    CN_CHECK(rows >= kTileUnit, "sum over ranks: ", x_.tokens, " rows of ", kTileUnit,
             " sums do not fit ", group_.largest_part(),
             " bytes, the most that a rank may say at once: choose a smaller chunk");
    return rows;
  }

  void compute(Range tile) {
    auto* sums = reinterpret_cast<int64_t*>(group_.outbox());
    int64_t* bad_leaves = sums + x_.tokens * tile.size();
    *bad_leaves = 0;
    MatmulCommand command = exact_product(x_, *term_.weight);
    // The whole is divided among the workers as it was when they packed it.
    if (tile.size() < term_.weight->rows()) command.parts[0].rows = tile;
    command.parts[0].stride = tile.size();
    command.parts[0].sums = sums;
    command.bad_leaves = bad_leaves;
    cx_.device.launch(command, Sync::meet);
  }

  void finish(Range tile) {
    const Parts parts = group_.collect(term_.weight->name().c_str());
    const auto from = [&](const Tensor& tensor) {
      return tensor ? tensor.f32() + tile.begin : nullptr;
    };
    cx_.device.launch(FinishSumsCommand{.y = from(y_),
                                        .parts = parts.data(),
                                        .bias = from(term_.bias),
                                        .residual = from(residual_),
                                        .ranks = group_.size(),
                                        .tokens = x_.tokens,
                                        .cols = tile.size(),
                                        .stride = term_.weight->rows(),
                                        .weight = term_.weight},
                      Sync::meet);
  }

  Ctx& cx_;
  Group& group_;
  const Activations& x_;
  const Term& term_;
  const Tensor& residual_;
  const Tensor& y_;
};

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
    SumOverRanks(cx, x, term, residual, y).run();
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

Tensor embed_over_ranks(Ctx& cx, const Weight& table, int64_t first_id, const Tensor& ids) {
  Tensor y = embed(cx, table, first_id, ids);
  Group& group = *cx.mesh.tensor_parallel;
  if (group.size() == 1) return y;
  cx.device.join();
  // One rank's row and zeros: adding bit patterns keeps even -0.
  auto* bits = reinterpret_cast<uint32_t*>(y.f32());
  all_reduce(group, std::span(bits, static_cast<size_t>(y.elements())), "embedding");
  return y;
}

}  // namespace colonnade
