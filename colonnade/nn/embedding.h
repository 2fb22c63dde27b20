// The two ends of a decoder: token embedding and output head, cut along the vocabulary; learned
// positions.
#pragma once

#include <optional>
#include <string>

#include "colonnade/nn/linear.h"
#include "colonnade/ops/attention.h"
#include "colonnade/ops/matmul.h"

namespace colonnade {

/// Rows of the vocabulary are cut in units of this, the block of the sampler's sums.
constexpr int64_t kVocabularyUnit = 256;

/// Embedding and head. Tied: one matrix serves both.
class TokenEmbedding {
 public:
  /// Declares token_embd.weight [V, D], and output.weight [V, D] unless they are tied. `tied` none:
  /// they are if the files lack a head.
  TokenEmbedding(ParamSet& params, int64_t vocab, int64_t dim, std::optional<bool> tied = {});
  TokenEmbedding(const TokenEmbedding&) = delete;
  TokenEmbedding& operator=(const TokenEmbedding&) = delete;

  bool tied() const { return tied_; }
  /// The matrix that makes logits.
  const Weight* head() const { return tied_ ? embedding_.get() : head_.get(); }

  /// The tokens whose rows this rank holds.
  Range rows() const { return rows_; }

  /// ids [T], equal on all ranks -> [T, D], equal on all ranks.
  /// The ids are read on the host now. Throws ModelError for one outside [0, V).
  Tensor embed(Ctx& cx, const Tensor& ids) const;
  /// x as activations of head() -> this rank's logits [T, V_r].
  Tensor logits(Ctx& cx, const Activations& x) const {
    return matmul(cx, x, {Term{head(), bias_}});
  }

 private:
  WeightPtr embedding_;  // [V_r, D]
  WeightPtr head_;       // [V_r, D] or none
  Tensor bias_;          // [V_r] of the head, or none
  int64_t vocab_;
  Range rows_;  // [V_r]
  bool tied_;
};

/// Position embeddings that were learned, one row each; whole on every rank.
/// Source: Vaswani et al. 2017, section 3.5.
class PositionEmbedding {
 public:
  /// Declares position_embd.weight [positions + offset, D]; position p has row p + `offset`.
  PositionEmbedding(ParamSet& params, int64_t positions, int64_t dim, int offset);
  PositionEmbedding(const PositionEmbedding&) = delete;
  PositionEmbedding& operator=(const PositionEmbedding&) = delete;

  /// The rows of the step's positions [T, D]; call it before anything else of the step, because the
  /// host writes their numbers now. Throws Error for a position without a row.
  Tensor operator()(Ctx& cx, const KvStep& step) const;

 private:
  WeightPtr table_;
  int offset_;
};

}  // namespace colonnade
