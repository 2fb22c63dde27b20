#include "colonnade/models/decoder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "colonnade/models/alibi.h"
#include "colonnade/ops/elementwise.h"
#include "colonnade/ops/embed.h"

namespace colonnade {
namespace {

/// A matrix that is whole on every rank.
AllToShardedLinear& add_whole(std::optional<AllToShardedLinear>& linear, ParamSet& params,
                              const char* name, LinearDims dims) {
  return linear.emplace(params, name, dims, Range{0, dims.out});
}

bool has_local_rope(const DecoderConfig& config) {
  return std::any_of(config.kinds.begin(), config.kinds.end(),
                     [](const LayerKind& kind) { return kind.local_rope; });
}

/// The configuration of the rotation of layers with a window: another base, never stretched.
DecoderConfig local_rope(DecoderConfig config) {
  config.rope_theta = config.local_rope_theta;
  config.rope_scaling = {};
  config.rope_factors.clear();
  return config;
}

}  // namespace

Decoder::Decoder(ParamSet& params, const DecoderConfig& c)
    : config_(c),
      heads_(params.cut(), attention_dims(c)),
      ends_(params, c.vocab, c.embedding_width(), c.tied) {
  const NormDims norm{c.norm, c.dim, c.norm_eps};
  if (c.positions == Positions::learned)
    positions_.emplace(params, c.context, c.dim, c.position_offset);
  if (c.embedding_width() != c.dim) {
    add_whole(project_in_, params, "project_in", {c.embedding_width(), c.dim});
    add_whole(project_out_, params, "project_out", {c.dim, c.embedding_width()});
  }
  if (c.embedding_norm) embedding_norm_.emplace(params, "token_embd_norm", norm);
  if (c.final_norm) final_norm_.emplace(params, "output_norm", norm);
  const bool rotary = c.positions == Positions::rotary;
  if (rotary) {
    frequencies_ = rope_frequencies(c);
    if (has_local_rope(c)) local_frequencies_ = rope_frequencies(local_rope(c));
  }
  rope_.layout = c.pairs_side_by_side() ? RopeLayout::interleaved : RopeLayout::half;
  local_rope_.layout = rope_.layout;
  for (int64_t i = 0; i < c.layers; ++i) {
    const bool local = c.kinds[static_cast<size_t>(i)].local_rope;
    const AttentionPositions positions{rotary ? (local ? &local_rope_ : &rope_) : nullptr,
                                       c.positions == Positions::alibi ? &slopes_ : nullptr};
    layers_.push_back(std::make_unique<DecoderLayer>(params, c, i, positions));
  }
}

std::vector<std::string> Decoder::ignorable() const {
  std::vector<std::string> names;
  for (ConfigTensor& tensor : config_tensors(config_)) names.push_back(std::move(tensor.name));
  if (tied()) names.push_back("output.weight");  // a copy of the embedding
  return names;
}

void Decoder::reserve_positions(Device& device, int64_t positions) {
  extend_rope_table(device, frequencies_, positions, rope_);
  extend_rope_table(device, local_frequencies_, positions, local_rope_);
  if (config_.positions == Positions::alibi && !slopes_)
    slopes_ = alibi_slopes(device, config_.heads, heads_.heads);
}

Tensor Decoder::embedded(Ctx& cx, const DecoderInput& input) const {
  const Tensor positions = positions_ ? (*positions_)(cx, input.kv) : Tensor{};
  Tensor x = ends_.embed(cx, input.ids);
  if (config_.embedding_scale != 1) x = scale_add(cx, std::move(x), config_.embedding_scale);
  if (project_in_) {
    const Term term = project_in_->term();
    x = matmul(cx, activations_for(cx, x, {term.weight}), {term});
  }
  if (positions) x = scale_add(cx, std::move(x), 1, positions);
  if (embedding_norm_) x = embedding_norm_->values(cx, std::move(x));
  return x;
}

Tensor Decoder::logits(Ctx& cx, Tensor x) const {
  Tensor y;
  if (project_out_) {
    const Term term = project_out_->term();
    if (final_norm_) x = final_norm_->values(cx, std::move(x));
    x = matmul(cx, activations_for(cx, x, {term.weight}), {term});
    y = ends_.logits(cx, activations_for(cx, x, {ends_.head()}));
  } else if (final_norm_) {
    y = ends_.logits(cx, (*final_norm_)(cx, x, {ends_.head()}));
  } else {
    y = ends_.logits(cx, activations_for(cx, x, {ends_.head()}));
  }
  return config_.logit_softcap > 0 ? soft_cap(cx, std::move(y), config_.logit_softcap) : y;
}

Tensor Decoder::operator()(Ctx& cx, const DecoderInput& input) const {
  Tensor x = embedded(cx, input);
  cx.show("embedding", x);
  for (const auto& layer : layers_) x = (*layer)(cx, std::move(x), input.kv);
  if (!input.out_rows) return {};
  return logits(cx, select_rows(cx, x, input.out_rows));
}

}  // namespace colonnade
