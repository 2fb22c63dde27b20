// Ops that sum over ranks. Collectives are called here and nowhere else in ops.
#pragma once

#include "colonnade/ops/matmul.h"

namespace colonnade {

/// residual + bias + sum over ranks of x_r W_r^T, as the exact sum of leaves that every rank count
/// gives the same bits for. x [T, K_r], weight [F, K_r]  ->  [T, F]. `residual` [T, F] or none;
/// written over if it is the last reference. What it enqueued last may still read other ranks'
/// parts: join the device before the next exchange, as every op here does. Source: docs/numerics.md
/// section 4.
Tensor sharded_to_all(Ctx& cx, const Activations& x, const Term& term, Tensor residual);

/// What one expert of a mixture adds: x_r W_r^T for some of the tokens, and factor * bias.
struct ExpertProduct {
  Activations x = {};              // [n, K_r]
  const Weight* weight = nullptr;  // [F, K_r]
  Tensor bias = {};                // [F] or none
  Tensor rows = {};                // [n] i32, ascending: its tokens among the T
  Tensor factors = {};             // [n] f32: of the bias
};

/// residual + the experts' biases + sum over experts and ranks of their products: one exact sum of
/// the leaves of all experts that a token goes to.  ->  [T, F], equal on all ranks
class ExpertSum {
 public:
  enum class Biases : uint8_t { none, some };

  /// Make it when no command is running (behind a join): it clears its sums now.
  ExpertSum(Ctx& cx, int64_t tokens, int64_t cols, Biases biases);

  /// Experts in ascending order.
  void add(const ExpertProduct& product);
  /// `residual` [T, F] or none. `layer` names it in messages.
  Tensor finish(Tensor residual, const Weight& layer);

 private:
  Ctx& cx_;
  int64_t tokens_, cols_;
  Tensor sums_;    // [T F + 1] i64: behind the sums the count of bad leaves
  Tensor biases_;  // [T, F], or none
};

/// The table's row of each id, from the rank that holds it: `table` [V_r, D] has the rows from
/// `first_id` on.  ids [T] i32, each in [0, V)  ->  [T, D] f32, equal on all ranks.
Tensor embed_over_ranks(Ctx& cx, const Weight& table, int64_t first_id, const Tensor& ids);

}  // namespace colonnade
