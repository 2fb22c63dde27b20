// Choosing the next token from its logits. docs/sampling.md is the user's page.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "colonnade/engine/penalties.h"
#include "colonnade/engine/sampling_options.h"
#include "colonnade/engine/vocabulary.h"

namespace colonnade {

/// Summaries of all shards of the vocabulary in order, the same on every rank. They stay valid
/// until the next call.
using GatherSummaries = std::function<std::span<const ShardSummary>(const ShardRequest&)>;

struct Choice {
  int32_t token = -1;
  int gathers = 0;  // how often the shards were asked
};

/// The token that validated `options` choose: top-k, top-p and min-p cut the ranking of
/// softmax(logits), in this order; then one draw from what is left with probabilities
/// softmax(logits / temperature). Every rank that gathers the same summaries gets the same token,
/// however the vocabulary is cut. `ranking` is memory to work in. Throws Error if every logit is
/// -infinity.
Choice choose_token(const SamplingOptions& options, const DrawKey& key,
                    const GatherSummaries& gather, Ranking& ranking);

/// Chooses the tokens of one answer. One thread at a time.
class Sampler {
 public:
  /// Throws Error as validate() does. `prompt` is what the penalties look back on; `choice` numbers
  /// the answers of one request, which differ by it alone.
  Sampler(SamplingOptions options, int64_t vocabulary, std::span<const int32_t> prompt,
          int32_t choice = 0);

  /// The token for `position` of the sequence from its logits [V]. Does not accept it. Throws Error
  /// that names the token if a logit is NaN or +infinity, or if none is above -infinity.
  int32_t sample(std::span<const float> logits, int64_t position);

  /// One more token of the answer, for the penalties.
  void accept(int32_t token) { penalties_.accept(token); }

  /// The seed in use: the options' or a fresh one.
  uint64_t seed() const { return seed_; }

 private:
  SamplingOptions options_;
  int64_t vocabulary_;
  int32_t choice_;
  uint64_t seed_;
  Penalties penalties_;
  std::vector<float> changed_;  // [V] logits after penalties
  ShardScan scan_;
  Ranking ranking_;
};

/// A seed that no other call is likely to give.
uint64_t fresh_seed();

struct TokenLogProbability {
  int32_t id = 0;
  double log_probability = 0.0;
};

struct LogProbabilities {
  double log_normalizer =
      0.0;  // log of the sum of exp(logit): log p(id) = logits[id] - log_normalizer
  std::vector<TokenLogProbability> top;  // most likely first
};

/// Of softmax(logits), no penalties, temperature 1: the `k` most likely tokens (fewer if fewer are
/// above -infinity).
LogProbabilities log_probabilities(int32_t k, const GatherSummaries& gather);
/// The same for logits [V] that are all here.
LogProbabilities log_probabilities(std::span<const float> logits, int32_t k);

}  // namespace colonnade
