#include "colonnade/nn/experts.h"

#include <utility>

#include "colonnade/ops/embed.h"
#include "colonnade/ops/forms.h"
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

namespace {

/// What `expert` reads of its tokens. `all` is what another read of all tokens, or nothing.
Activations read_by(Ctx& cx, const Tensor& x, const ExpertTokens& tokens, const Mlp& expert,
                    Activations& all) {
  if (tokens.rows.elements() < x.rows()) {
    const Tensor mine = select_rows(cx, x, tokens.rows);
    return activations_for(cx, mine, {expert.gate(), expert.up()});
  }
  if (!has_form(all, *expert.gate()) || !has_form(all, *expert.up()))
    all = activations_for(cx, x, {expert.gate(), expert.up()});
  return all;
}

}  // namespace

Tensor Experts::operator()(Ctx& cx, const Tensor& x, Tensor residual) const {
  const Term router = router_.term();
  const Tensor logits = matmul(cx, activations_for(cx, x, {router.weight}), {router});
  const std::vector<ExpertTokens> routed =
      route(cx, logits, dims_.chosen, dims_.router, router.weight->name().c_str());
  const ShardedToAllLinear& first = experts_.front()->down();
  ExpertSum sum(cx, x.rows(), dims_.dim,
                first.bias() ? ExpertSum::Biases::some : ExpertSum::Biases::none);
  Activations all;  // of all tokens, for the experts that get them all: a single token's
  for (const ExpertTokens& tokens : routed) {
    const Mlp& expert = *experts_[static_cast<size_t>(tokens.expert)];
    sum.add({.x = expert.hidden(cx, read_by(cx, x, tokens, expert, all), tokens.factors),
             .weight = &expert.down().weight(),
             .bias = expert.down().bias(),
             .rows = tokens.rows,
             .factors = tokens.factors});
  }
  return sum.finish(std::move(residual), first.weight());
}

}  // namespace colonnade
