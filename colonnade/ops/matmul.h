// Products with weights.
#pragma once

#include <initializer_list>

#include "colonnade/tensor/activations.h"
#include "colonnade/tensor/commands.h"
#include "colonnade/tensor/ctx.h"

namespace colonnade {

/// A weight [F, K] and its bias [F], or no bias.
struct Term {
  const Weight* weight = nullptr;
  Tensor bias = {};
};

/// x [T, K] as activations of `consumers`: codes, values, or both. Shares x's storage for the
/// values. Throws Error if the consumers' runs differ or K is not theirs.
Activations activations_for(Ctx& cx, const Tensor& x,
                            std::initializer_list<const Weight*> consumers);

/// y = [x W0^T + b0 | x W1^T + b1 | x W2^T + b2] for one to three terms.  ->  [T, F0 + F1 + F2]
/// Throws Error if x lacks the form that a weight reads.
Tensor matmul(Ctx& cx, const Activations& x, std::initializer_list<Term> terms);

/// What stands between the two products of an MLP.
struct HiddenLayer {
  Term gate;     // [F, K]
  Term up = {};  // [F, K], or none
  Activation activation = Activation::silu;
  Tensor scales = {};  // [T] f32 or none: a factor for each token
};

/// act(x Wg^T + bg) * (x Wu^T + bu) * scales as activations of `consumer`, whose K is F; without
/// `up` act(x Wg^T + bg). Plain definition: the activation of matmul(gate) and matmul(up), then
/// activations_for(consumer).
/// Source: Shazeer 2020, "GLU Variants Improve Transformer", section 2.
Activations hidden_matmul(Ctx& cx, const Activations& x, const HiddenLayer& layer,
                          const Weight& consumer);

}  // namespace colonnade
