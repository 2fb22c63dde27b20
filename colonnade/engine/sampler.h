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

/// Of each shard, when no option says how many are needed.
constexpr int64_t kFirstCandidates = 64;

/// What choose_token() asks first.
ShardRequest first_request(const SamplingOptions& options, const DrawKey& key);

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

  /// What all shards of the logits of `position` are asked first, behind changes().
  ShardRequest request(int64_t position) const;
  const LogitChanges& changes() const { return penalties_.changes(); }
  /// The token for `position` from the shards' answers to request(); `more` asks them again when
  /// these do not suffice. Does not accept it. Throws Error if every logit is -infinity.
  int32_t choose(int64_t position, std::span<const ShardSummary> first,
                 const GatherSummaries& more);
  /// The same from logits [V] that are all here. Throws Error that names the token if one is NaN or
  /// +infinity too.
  int32_t sample(std::span<const float> logits, int64_t position);

  /// One more token of the answer, for the penalties.
  void accept(int32_t token) { penalties_.accept(token); }

  /// The seed in use: the options' or a fresh one.
  uint64_t seed() const { return seed_; }

 private:
  DrawKey key(int64_t position) const { return {seed_, choice_, position}; }

  SamplingOptions options_;
  int64_t vocabulary_;
  int32_t choice_;
  uint64_t seed_;
  Penalties penalties_;
  Ranking ranking_;
  ShardScan scan_;  // of sample()
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
  double chosen = 0.0;                   // log p of the token that was asked for
};

/// Of softmax(logits), no penalties, temperature 1: the `k` most likely tokens (fewer if fewer are
/// above -infinity), and `token` if it is not -1.
LogProbabilities log_probabilities(int32_t k, int32_t token, const GatherSummaries& gather);
/// The same for logits [V] that are all here.
LogProbabilities log_probabilities(std::span<const float> logits, int32_t k);

}  // namespace colonnade
