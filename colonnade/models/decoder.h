// Decoder: the one decoder-only transformer, for every family, rank count and device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "colonnade/models/decoder_config.h"
#include "colonnade/models/rope.h"
#include "colonnade/nn/attention.h"
#include "colonnade/nn/embedding.h"
#include "colonnade/nn/mlp.h"
#include "colonnade/nn/norm.h"

namespace colonnade {

/// Norm, attention, norm, MLP, each with its residual.
class DecoderLayer {
 public:
  DecoderLayer(ParamSet& params, const DecoderConfig& config, int64_t layer, const RopeTable& rope);

  /// x [T, D] -> [T, D]
  Tensor operator()(Ctx& cx, Tensor x, const KvStep& step) const;

 private:
  int64_t layer_;
  std::string attention_name_;  // of the activations that a probe sees
  std::string layer_name_;
  RmsNorm attention_norm_;
  Attention attention_;
  RmsNorm mlp_norm_;
  GatedMlp mlp_;
};

/// Tensors of one step, equal on all ranks.
struct DecoderInput {
  Tensor ids;       // [T] i32
  KvStep kv;        // the sequences that the T rows belong to
  Tensor out_rows;  // [n] i32: rows whose logits are wanted; none wanted: no tensor
};

class Decoder {
 public:
  /// Declares all parameters in `params`; their slots are members, so the decoder stays where it
  /// is.
  Decoder(ParamSet& params, const DecoderConfig& config);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  const DecoderConfig& config() const { return config_; }
  const HeadShare& heads() const { return heads_; }
  bool tied() const { return ends_.tied(); }
  /// This rank's tokens: the columns of its logits.
  Range vocabulary() const { return ends_.rows(); }
  /// The rope table reaches `positions`. Call between steps.
  void reserve_positions(Device& device, int64_t positions);

  /// Logits of the wanted rows, this rank's share of the vocabulary: [n, V_r], or no tensor. Keys
  /// and values of all rows are written to the cache.
  Tensor operator()(Ctx& cx, const DecoderInput& input) const;

 private:
  DecoderConfig config_;
  HeadShare heads_;
  RopeFrequencies frequencies_;
  RopeTable rope_;
  TokenEmbedding ends_;
  RmsNorm final_norm_;
  std::vector<std::unique_ptr<DecoderLayer>> layers_;
};

/// The part of the configuration that attention needs.
AttentionDims attention_dims(const DecoderConfig& config);

}  // namespace colonnade
