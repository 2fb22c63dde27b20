// Decoder: the one decoder-only transformer, for every family, rank count and device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "colonnade/models/decoder_config.h"
#include "colonnade/models/decoder_layer.h"
#include "colonnade/models/rope.h"
#include "colonnade/nn/embedding.h"
#include "colonnade/nn/norm.h"

namespace colonnade {

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
  /// Tensors that the files may have and that no layer declares.
  std::vector<std::string> ignorable() const;
  /// This rank's tokens: the columns of its logits.
  Range vocabulary() const { return ends_.rows(); }
  /// Tables of positions reach `positions`. Call between steps, once at least.
  void reserve_positions(Device& device, int64_t positions);

  /// Logits of the wanted rows, this rank's share of the vocabulary: [n, V_r], or no tensor. Keys
  /// and values of all rows are written to the cache.
  Tensor operator()(Ctx& cx, const DecoderInput& input) const;

 private:
  Tensor embedded(Ctx& cx, const DecoderInput& input) const;
  Tensor logits(Ctx& cx, Tensor x) const;

  DecoderConfig config_;
  HeadShare heads_;
  RopeFrequencies frequencies_, local_frequencies_;
  RopeTable rope_, local_rope_;
  Tensor slopes_;  // [H_r] of ALiBi, or none
  TokenEmbedding ends_;
  std::optional<PositionEmbedding> positions_;
  std::optional<AllToShardedLinear> project_in_, project_out_;  // whole on every rank
  std::optional<Norm> embedding_norm_, final_norm_;
  std::vector<std::unique_ptr<DecoderLayer>> layers_;
};

}  // namespace colonnade
