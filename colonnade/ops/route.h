// Routing of a mixture of experts: which experts a token goes to, and with what factor.
#pragma once

#include <vector>

#include "colonnade/tensor/ctx.h"
#include "colonnade/tensor/tensor.h"

namespace colonnade {

/// How a router's logits become the factors of the experts that it chooses.
enum class RouterKind : uint8_t {
  softmax_then_choose,  // probabilities over all experts
  choose_then_softmax   // probabilities over the chosen alone
};

/// The tokens that one expert gets.
struct ExpertTokens {
  int expert = 0;
  Tensor rows;     // [n] i32, ascending
  Tensor factors;  // [n] f32
};

/// Each token's `chosen` experts of the largest logits, of equal ones the lower number; the list
/// has every expert that got a token, ascending. Reads the logits on the host now. Throws
/// ModelError that names the layer and the token for a logit that is not finite.
///   logits  [T, experts] f32, equal on all ranks
/// Source: Shazeer et al. 2017, "Outrageously Large Neural Networks", section 2; the order of
/// choosing and softmax as the models' own code has it.
std::vector<ExpertTokens> route(Ctx& cx, const Tensor& logits, int chosen, RouterKind kind,
                                const char* layer);

}  // namespace colonnade
