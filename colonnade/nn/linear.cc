#include "colonnade/nn/linear.h"

#include <utility>

namespace colonnade {

AllToShardedLinear::AllToShardedLinear(ParamSet& params, const std::string& name, LinearDims dims,
                                       Range rows, Presence bias, int64_t interleaved_head,
                                       double tokens_share) {
  params.add(MatrixParam{.name = name + ".weight",
                         .rows = dims.out,
                         .cols = dims.in,
                         .row_range = rows,
                         .col_range = {0, dims.in},
                         .interleaved_head = interleaved_head,
                         .tokens_share = tokens_share,
                         .slot = &weight_});
  params.add(VectorParam{.name = name + ".bias",
                         .size = dims.out,
                         .range = rows,
                         .interleaved_head = interleaved_head,
                         .slot = &bias_},
             bias);
}

ShardedToAllLinear::ShardedToAllLinear(ParamSet& params, const std::string& name, LinearDims dims,
                                       Range cols, LeafRule leaf, double tokens_share) {
  params.add(MatrixParam{.name = name + ".weight",
                         .rows = dims.out,
                         .cols = dims.in,
                         .row_range = {0, dims.out},
                         .col_range = cols,
                         .unit = leaf.size,
                         .leaf = leaf,
                         .tokens_share = tokens_share,
                         .slot = &weight_});
  params.add(
      VectorParam{.name = name + ".bias", .size = dims.out, .range = {0, dims.out}, .slot = &bias_},
      Presence::optional);
}

Tensor ShardedToAllLinear::operator()(Ctx& cx, const Activations& x, Tensor residual) const {
  return sharded_to_all(cx, x, {weight_.get(), bias_}, std::move(residual));
}

}  // namespace colonnade
