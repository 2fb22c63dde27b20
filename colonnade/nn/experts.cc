#include "colonnade/nn/experts.h"

#include <utility>

#include "colonnade/ops/embed.h"
#include "colonnade/ops/parallel.h"

namespace colonnade {

Experts::Experts(ParamSet& params, const std::string& prefix, const ExpertDims& dims)
    : dims_(dims),
      router_(params, prefix + "ffn_gate_inp", {dims.dim, dims.experts}, {0, dims.experts}) {
  const MlpDims mlp{
      .dim = dims.dim,
      .hidden = dims.hidden,
      .activation = dims.activation,
      .tokens_share = static_cast<double>(dims.chosen) / static_cast<double>(dims.experts)};
  for (int64_t e = 0; e < dims.experts; ++e)
    experts_.push_back(std::make_unique<Mlp>(params, prefix, mlp, "." + std::to_string(e)));
}

Tensor Experts::operator()(Ctx& cx, const Tensor& x, Tensor residual) const {
  const Term router = router_.term();
  const Tensor logits = matmul(cx, activations_for(cx, x, {router.weight}), {router});
  const std::vector<ExpertTokens> routed =
      route(cx, logits, dims_.chosen, dims_.router, router.weight->name().c_str());
  const ShardedToAllLinear& first = experts_.front()->down();
  ExpertSum sum(cx, x.rows(), dims_.dim,
                first.bias() ? ExpertSum::Biases::some : ExpertSum::Biases::none);
  for (const ExpertTokens& tokens : routed) {
    const Mlp& expert = *experts_[static_cast<size_t>(tokens.expert)];
    const Tensor mine = select_rows(cx, x, tokens.rows);
    const Activations read = activations_for(cx, mine, {expert.gate(), expert.up()});
    sum.add({.x = expert.hidden(cx, read, tokens.factors),
             .weight = &expert.down().weight(),
             .bias = expert.down().bias(),
             .rows = tokens.rows,
             .factors = tokens.factors});
  }
  return sum.finish(std::move(residual), first.weight());
}

}  // namespace colonnade
