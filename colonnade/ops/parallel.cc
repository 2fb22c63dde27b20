#include "colonnade/ops/parallel.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "colonnade/base/error.h"
#include "colonnade/base/partition.h"
#include "colonnade/comm/collectives.h"
#include "colonnade/ops/elementwise.h"
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
/// next tile is computed. A single token's is one tile, which every rank finishes for itself (one
/// shot). Of many tokens each rank finishes its share and tells the others the result beside the
/// sums of the tile behind the next (two shots): nobody adds what another has added.
class SumOverRanks {
 public:
  SumOverRanks(Ctx& cx, const Activations& x, const Term& term, const Tensor& residual,
               const Tensor& y)
      : cx_(cx),
        group_(*cx.mesh.tensor_parallel),
        x_(x),
        term_(term),
        residual_(residual),
        y_(y),
        mine_(even_part(x.tokens, group_.size(), group_.rank())),
        two_shots_(x.tokens >= kFewestForTwoShots) {}

  void run() {
    const int64_t rows = term_.weight->rows();
    const int64_t most = tile_rows();
    Range last, before_last;
    for (int64_t begin = 0; begin < rows; begin += most) {
      const Range tile{begin, std::min(begin + most, rows)};
      compute(tile);
      if (two_shots_) {
        share_results(last, before_last, tile);
      } else {
        finish(last);
      }
      publish(sums_bytes(tile) + (two_shots_ ? results_bytes(last) : 0));
      before_last = last;
      last = tile;
    }
    if (!two_shots_) return finish(last);
    share_results(last, before_last, {});
    publish(results_bytes(last));
    gather(last, collect(), 0);
  }

 private:
  static constexpr int64_t kTileUnit = 64;  // MatmulPart::rows
  static constexpr int64_t kFewestForTwoShots =
      16;  // tokens: below it one more exchange costs more

  /// A tile's sums, then the count of its bad leaves: every rank raises the same error. Whole lines
  /// where the results of another tile follow.
  int64_t sums_bytes(Range tile) const {
    if (tile.empty()) return 0;
    const int64_t bytes = (x_.tokens * tile.size() + 1) * static_cast<int64_t>(sizeof(int64_t));
    return two_shots_ ? (bytes + kLine - 1) / kLine * kLine : bytes;
  }
  /// This rank's finished tokens of a tile.
  int64_t results_bytes(Range tile) const {
    return mine_.size() * tile.size() * static_cast<int64_t>(sizeof(float));
  }

  int64_t tile_rows() const {
    const int64_t most = even_part(x_.tokens, group_.size(), 0).size();  // no rank finishes more
    const int64_t row_bytes = x_.tokens * static_cast<int64_t>(sizeof(int64_t)) +
                              most * static_cast<int64_t>(sizeof(float));
    const int64_t rows =
        (group_.largest_part() - kLine) / std::max<int64_t>(row_bytes, 1) / kTileUnit * kTileUnit;
    CN_CHECK(rows >= kTileUnit, "sum over ranks: ", x_.tokens, " tokens of ", kTileUnit,
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

  void publish(int64_t bytes) {
    cx_.device.join();
    group_.publish(bytes);
  }

  Parts collect() { return group_.collect(term_.weight->name().c_str()); }

  /// All tokens of `tile`, into y.
  void finish(Range tile) {
    if (tile.empty()) return;
    finish(tile, {0, x_.tokens}, collect(), y_.f32() + tile.begin, y_.cols());
  }

  /// This rank's tokens of tile `last` into the part that it is about to publish, behind the sums
  /// of `now`; and all tokens of `before_last`, which the others have told by now, into y.
  void share_results(Range last, Range before_last, Range now) {
    if (last.empty()) return;
    const Parts parts = collect();
    auto* results = reinterpret_cast<float*>(group_.outbox() + sums_bytes(now));
    finish(last, mine_, parts, results, last.size());
    if (!before_last.empty()) gather(before_last, parts, sums_bytes(last));
  }

  void finish(Range tile, Range tokens, Parts parts, float* y, int64_t y_stride) {
    const int64_t stride = term_.weight->rows();
    cx_.device.launch(
        FinishSumsCommand{
            .rows = tokens,
            .y = y,
            .y_stride = y_stride,
            .parts = parts.data(),
            .bias = term_.bias ? term_.bias.f32() + tile.begin : nullptr,
            .residual = residual_ ? residual_.f32() + tokens.begin * stride + tile.begin : nullptr,
            .stride = stride,
            .ranks = group_.size(),
            .tokens = x_.tokens,
            .cols = tile.size(),
            .weight = term_.weight},
        Sync::meet);
  }

  void gather(Range tile, Parts parts, int64_t offset) {
    cx_.device.launch(GatherRowsCommand{.y = y_.f32() + tile.begin,
                                        .parts = parts.data(),
                                        .offset = offset,
                                        .ranks = group_.size(),
                                        .tokens = x_.tokens,
                                        .cols = tile.size(),
                                        .stride = term_.weight->rows()},
                      Sync::meet);
  }

  static constexpr int64_t kLine = 64;

  Ctx& cx_;
  Group& group_;
  const Activations& x_;
  const Term& term_;
  const Tensor& residual_;
  const Tensor& y_;
  const Range mine_;  // tokens that this rank finishes
  const bool two_shots_;
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

ExpertSum::ExpertSum(Ctx& cx, int64_t tokens, int64_t cols, Biases biases)
    : cx_(cx),
      tokens_(tokens),
      cols_(cols),
      sums_(cx.workspace.tensor({1, tokens * cols + 1}, DType::i64)) {
  std::fill_n(sums_.i64(), sums_.elements(), 0);
  if (biases == Biases::none) return;
  biases_ = cx.workspace.tensor({tokens, cols});
  std::fill_n(biases_.f32(), biases_.elements(), 0.0F);
}

void ExpertSum::add(const ExpertProduct& p) {
  check_form("experts to all", p.x, *p.weight);
  CN_CHECK(p.weight->rows() == cols_ && p.rows.elements() == p.x.tokens, "layer ", p.weight->name(),
           ": expected ", cols_, " rows and ", p.x.tokens, " tokens, got ", p.weight->rows(),
           " and ", p.rows.elements());
  const Tensor part = cx_.workspace.tensor({p.x.tokens, cols_}, DType::i64);
  MatmulCommand command = exact_product(p.x, *p.weight);
  command.parts[0].sums = part.i64();
  command.bad_leaves = sums_.i64() + tokens_ * cols_;
  cx_.device.launch(command, Sync::meet);
  cx_.device.launch(ScatterSumsCommand{.y = sums_.i64(),
                                       .x = part.i64(),
                                       .rows = p.rows.i32(),
                                       .count = p.x.tokens,
                                       .cols = cols_},
                    Sync::meet);
  if (!p.bias) return;
  CN_ASSERT(biases_, "an expert's bias without room for it");
  cx_.device.launch(ScatterBiasCommand{.y = biases_.f32(),
                                       .bias = p.bias.f32(),
                                       .factors = p.factors.f32(),
                                       .rows = p.rows.i32(),
                                       .count = p.x.tokens,
                                       .cols = cols_},
                    Sync::meet);
}

Tensor ExpertSum::finish(Tensor residual, const Weight& layer) {
  Group& group = *cx_.mesh.tensor_parallel;
  if (group.size() > 1) {
    cx_.device.join();
    all_reduce(group, std::span(sums_.i64(), static_cast<size_t>(sums_.elements())),
               layer.name().c_str());
  }
  Tensor y = residual.unique() ? residual : cx_.workspace.tensor({tokens_, cols_});
  cx_.device.launch(FinishSumsCommand{.rows = {0, tokens_},
                                      .y = y.f32(),
                                      .y_stride = cols_,
                                      .sums = sums_.i64(),
                                      .residual = data_or_null(residual),
                                      .stride = cols_,
                                      .ranks = 1,
                                      .tokens = tokens_,
                                      .cols = cols_,
                                      .weight = &layer},
                    Sync::meet);
  return biases_ ? scale_add(cx_, std::move(y), 1, biases_) : y;
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
