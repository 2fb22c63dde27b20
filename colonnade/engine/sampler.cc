#include "colonnade/engine/sampler.h"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/math.h"

namespace colonnade {
namespace {

constexpr int64_t kGrowth = 64;  // and so many times more when they were too few

/// Sum of exp(logit) = sum * exp(max).
struct Normalizer {
  double max = -std::numeric_limits<double>::infinity();
  double sum = 0.0;
};

/// Blocks in id order, in f64.
Normalizer merge_sums(std::span<const ShardSummary> shards) {
  Normalizer total;
  for (const ShardSummary& shard : shards) {
    for (const float max : shard.block_max)
      total.max = std::max(total.max, static_cast<double>(max));
  }
  if (total.max == -std::numeric_limits<double>::infinity()) return total;
  for (const ShardSummary& shard : shards) {
    for (size_t block = 0; block < shard.block_sum.size(); ++block) {
      const double distance = static_cast<double>(shard.block_max[block]) - total.max;
      total.sum += shard.block_sum[block] * math::exp_nonpositive(distance);
    }
  }
  return total;
}

/// Fills `ranking` with the best tokens of the vocabulary, none left out; true if there are no
/// others. Where a shard has more than it sent, nothing behind its last candidate is certain.
bool merge_candidates(std::span<const ShardSummary> shards, Ranking& ranking) {
  ranking.clear();
  const Candidate* last = nullptr;
  for (const ShardSummary& shard : shards) {
    ranking.insert(ranking.end(), shard.candidates.begin(), shard.candidates.end());
    if (shard.complete || shard.candidates.empty()) continue;
    const Candidate& end = shard.candidates.back();
    if (last == nullptr || ahead(end, *last)) last = &end;
  }
  if (shards.size() > 1) std::sort(ranking.begin(), ranking.end(), ahead);
  if (last == nullptr) return true;
  ranking.erase(std::upper_bound(ranking.begin(), ranking.end(), *last, ahead), ranking.end());
  return false;
}

/// Cuts the ranking down, one option after the other. False when tokens that are not in it may
/// survive.
class Truncation {
 public:
  Truncation(const SamplingOptions& options, Ranking& ranking, bool complete)
      : options_(options), tokens_(ranking), ended_(complete) {}

  bool apply(const Normalizer& all) { return keep_top_k() && keep_top_p(all) && keep_min_p(); }

 private:
  double weight(const Candidate& token) const {  // exp(logit - largest logit)
    return math::exp_nonpositive(static_cast<double>(token.logit) -
                                 static_cast<double>(tokens_.front().logit));
  }

  /// The ranking ends behind `count` tokens.
  void end_at(size_t count) {
    tokens_.resize(count);
    ended_ = true;
  }

  bool keep_top_k() {
    if (options_.top_k <= 0) return true;
    const auto k = static_cast<size_t>(options_.top_k);
    if (tokens_.size() < k) return ended_;
    end_at(k);
    return true;
  }

  bool keep_top_p(const Normalizer& all) {
    if (options_.top_p >= 1.0F) return true;
    double sum = all.sum;
    if (options_.top_k > 0) {
      sum = 0.0;
      for (const Candidate& token : tokens_) sum += weight(token);
    }
    const double wanted = static_cast<double>(options_.top_p) * sum;
    double mass = 0.0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      mass += weight(tokens_[i]);
      if (mass < wanted) continue;
      end_at(i + 1);
      return true;
    }
    return ended_;
  }

  bool keep_min_p() {
    if (options_.min_p <= 0.0F) return ended_;
    const auto least = static_cast<double>(options_.min_p);
    const auto end = std::find_if(tokens_.begin(), tokens_.end(),
                                  [&](const Candidate& token) { return weight(token) < least; });
    if (end == tokens_.end()) return ended_;
    end_at(static_cast<size_t>(end - tokens_.begin()));
    return true;
  }

  const SamplingOptions& options_;
  Ranking& tokens_;
  bool ended_;  // nothing behind tokens_ may survive
};

/// The winner among tokens in order. Once even the largest g would not do, those behind cannot win
/// either.
Draw draw_survivor(std::span<const Candidate> tokens, const DrawKey& key, double temperature) {
  Draw best;
  for (const Candidate& token : tokens) {
    if (static_cast<double>(token.logit) / temperature + kLargestGumbel < best.score) break;
    const Draw draw = score_token(key, temperature, token.logit, token.id);
    if (wins(draw, best)) best = draw;
  }
  return best;
}

void check_any(bool any) {
  CN_CHECK(any,
           "sampling: every token is excluded: expected a logit above -inf; is everything banned "
           "by logit_bias?");
}

bool truncates(const SamplingOptions& options) {
  return options.top_k > 0 || options.top_p < 1.0F || options.min_p > 0.0F;
}

Choice choose_largest(const ShardRequest& request, const GatherSummaries& gather,
                      Ranking& ranking) {
  merge_candidates(gather(request), ranking);
  check_any(!ranking.empty());
  return {ranking.front().id, 1};
}

Choice draw_from_all(const ShardRequest& request, const GatherSummaries& gather) {
  Draw best;
  for (const ShardSummary& shard : gather(request)) {
    if (wins(shard.draw, best)) best = shard.draw;
  }
  check_any(best.id >= 0);
  return {best.id, 1};
}

Choice draw_from_best(const SamplingOptions& options, ShardRequest request,
                      const GatherSummaries& gather, Ranking& ranking) {
  const DrawKey key = request.key;
  Normalizer all;
  for (int gathers = 1;; ++gathers) {
    const std::span<const ShardSummary> shards = gather(request);
    const bool complete = merge_candidates(shards, ranking);
    check_any(!ranking.empty());
    if (request.sums) all = merge_sums(shards);
    if (Truncation(options, ranking, complete).apply(all)) {
      return {draw_survivor(ranking, key, options.temperature).id, gathers};
    }
    request.sums = false;
    request.candidates *= kGrowth;
  }
}

}  // namespace

ShardRequest first_request(const SamplingOptions& options, const DrawKey& key) {
  ShardRequest request;
  request.key = key;
  request.temperature = options.temperature;
  if (options.temperature == 0.0F) {
    request.candidates = 1;
  } else if (!truncates(options)) {
    request.draw = true;
  } else {
    request.candidates = options.top_k > 0 ? options.top_k : kFirstCandidates;
    request.sums = options.top_p < 1.0F && options.top_k <= 0;
  }
  return request;
}

Choice choose_token(const SamplingOptions& options, const DrawKey& key,
                    const GatherSummaries& gather, Ranking& ranking) {
  const ShardRequest request = first_request(options, key);
  if (options.temperature == 0.0F) return choose_largest(request, gather, ranking);
  if (!truncates(options)) return draw_from_all(request, gather);
  return draw_from_best(options, request, gather, ranking);
}

Sampler::Sampler(SamplingOptions options, int64_t vocabulary, std::span<const int32_t> prompt,
                 int32_t choice)
    : options_((validate(options, vocabulary), std::move(options))),
      vocabulary_(vocabulary),
      choice_(choice),
      seed_(options_.seed ? *options_.seed : fresh_seed()),
      penalties_(options_, prompt) {
  if (options_.top_k >= vocabulary) options_.top_k = 0;
}

ShardRequest Sampler::request(int64_t position) const {
  return first_request(options_, key(position));
}

int32_t Sampler::choose(int64_t position, std::span<const ShardSummary> first,
                        const GatherSummaries& more) {
  bool asked = false;
  const auto gather = [&](const ShardRequest& request) {
    return std::exchange(asked, true) ? more(request) : first;
  };
  return choose_token(options_, key(position), std::ref(gather), ranking_).token;
}

int32_t Sampler::sample(std::span<const float> logits, int64_t position) {
  CN_CHECK(static_cast<int64_t>(logits.size()) == vocabulary_, "sampling: expected ", vocabulary_,
           " logits, got ", logits.size());
  const auto gather = [&](const ShardRequest& wanted) {
    return std::span<const ShardSummary>(&scan_(logits, 0, changes(), wanted), 1);
  };
  return choose(position, gather(request(position)), std::ref(gather));
}

uint64_t fresh_seed() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

LogProbabilities log_probabilities(int32_t k, int32_t token, const GatherSummaries& gather) {
  ShardRequest request;
  request.token = token;
  request.candidates = k;
  request.sums = true;
  const std::span<const ShardSummary> shards = gather(request);
  const Normalizer total = merge_sums(shards);
  check_any(total.sum > 0.0);
  LogProbabilities result;
  result.log_normalizer = total.max + math::log(total.sum);
  for (const ShardSummary& shard : shards) {
    if (shard.has_token)
      result.chosen = static_cast<double>(shard.token_logit) - result.log_normalizer;
  }
  Ranking ranking;
  merge_candidates(shards, ranking);
  ranking.resize(std::min(ranking.size(), static_cast<size_t>(std::max(k, 0))));
  for (const Candidate& token : ranking) {
    result.top.push_back({token.id, static_cast<double>(token.logit) - result.log_normalizer});
  }
  return result;
}

LogProbabilities log_probabilities(std::span<const float> logits, int32_t k) {
  ShardScan scan;
  const auto gather = [&](const ShardRequest& request) {
    return std::span<const ShardSummary>(&scan(logits, 0, {}, request), 1);
  };
  return log_probabilities(k, -1, std::ref(gather));
}

}  // namespace colonnade
