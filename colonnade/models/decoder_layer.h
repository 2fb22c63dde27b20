// DecoderLayer: attention and MLP with their norms and residuals.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "colonnade/models/decoder_config.h"
#include "colonnade/nn/attention.h"
#include "colonnade/nn/experts.h"
#include "colonnade/nn/mlp.h"
#include "colonnade/nn/norm.h"

namespace colonnade {

/// What stands around a block (attention or MLP): the norm of what it reads, of what it adds to the
/// residual, of their sum. Any of them may be missing.
class BlockNorms {
 public:
  /// Declares `prefix``name` (before or after the block) and `prefix``output_name`.
  BlockNorms(ParamSet& params, const DecoderConfig& config, const std::string& prefix,
             const std::string& name, const std::string& output_name);

  /// What `consumers` read of x.
  Activations input(Ctx& cx, const Tensor& x, std::initializer_list<const Weight*> consumers) const;
  /// The same as values [T, D].
  Tensor input(Ctx& cx, const Tensor& x) const;
  /// From a residual to the next: `block` gives what it computes plus what it is handed.
  template <typename Block>
  Tensor around(Ctx& cx, Tensor x, const Block& block) const {
    x = of_output_ ? of_output_->values(cx, block(Tensor{}), x) : block(std::move(x));
    return after_ ? after_->values(cx, std::move(x)) : x;
  }

 private:
  std::optional<Norm> before_, of_output_, after_;
};

/// The part of the configuration that attention needs, of layers without a window.
AttentionDims attention_dims(const DecoderConfig& config);

class DecoderLayer {
 public:
  DecoderLayer(ParamSet& params, const DecoderConfig& config, int64_t layer,
               const AttentionPositions& positions);

  /// x [T, D] -> [T, D]
  Tensor operator()(Ctx& cx, Tensor x, const KvStep& step) const;

 private:
  Tensor through_mlp(Ctx& cx, Tensor x) const;
  Tensor through_experts(Ctx& cx, Tensor x) const;

  int64_t layer_;
  std::string attention_name_;  // of the activations that a probe sees
  std::string layer_name_;
  BlockNorms attention_norms_;
  Attention attention_;
  BlockNorms mlp_norms_;
  std::optional<Mlp> mlp_;
  std::optional<Experts> experts_;  // in place of it
};

}  // namespace colonnade
