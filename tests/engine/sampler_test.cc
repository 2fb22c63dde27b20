#include "colonnade/engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "tests/support/heap_meter.h"
#include "tests/support/random.h"
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "colonnade/base/error.h"
#include "colonnade/base/partition.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 42;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Logits = std::vector<float>;

/// The shape of a language model's logits: few large ones over many small ones.
Logits peaked_logits(uint64_t seed, int64_t size) {
  Logits logits = test::random_floats(seed, size);
  for (float& logit : logits) logit = 12.0F * logit * logit * logit;
  return logits;
}

int32_t sample(const SamplingOptions& options, const Logits& logits, int64_t position = 0) {
  return Sampler(options, static_cast<int64_t>(logits.size()), {}).sample(logits, position);
}

int32_t argmax(const Logits& logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

TEST(Sampler, GreedyTakesTheLargestLogitAndTheLowerIdOfEquals) {
  SamplingOptions options;
  options.temperature = 0.0F;
  Logits logits = peaked_logits(kSeed, 5000);
  EXPECT_EQ(sample(options, logits), argmax(logits));
  logits[300] = logits[4000] = 50.0F;
  EXPECT_EQ(sample(options, logits), 300);
  options.top_k = 5;
  options.min_p = 0.5F;
  EXPECT_EQ(sample(options, logits), 300);
}

TEST(Sampler, EndsOfTheRangesMeanWhatIsDocumented) {
  const Logits logits = peaked_logits(kSeed, 3000);
  const auto always_largest = [&](auto change) {
    SamplingOptions options;
    options.seed = kSeed;
    change(options);
    Sampler sampler(options, 3000, {});
    for (int64_t position = 0; position < 200; ++position) {
      if (sampler.sample(logits, position) != argmax(logits)) return false;
    }
    return true;
  };
  EXPECT_TRUE(always_largest([](SamplingOptions& o) { o.temperature = 1e-8F; }));
  EXPECT_TRUE(always_largest([](SamplingOptions& o) { o.temperature = 1e-45F; }));
  EXPECT_TRUE(always_largest([](SamplingOptions& o) { o.top_p = 0.0F; }));
  EXPECT_TRUE(always_largest([](SamplingOptions& o) { o.min_p = 1.0F; }));
  EXPECT_TRUE(always_largest([](SamplingOptions& o) { o.top_k = 1; }));
  EXPECT_FALSE(always_largest([](SamplingOptions&) {}));
}

TEST(Sampler, OptionsThatAreOffChangeNothing) {
  const Logits logits = peaked_logits(kSeed, 3000);
  SamplingOptions plain;
  plain.seed = kSeed;
  std::vector<SamplingOptions> others(5, plain);
  others[0].top_k = -1;
  others[1].top_k = 9'999'999;
  others[2].top_k = 3000;
  others[3].min_p = 1e-30F;  // below every probability
  others[4].repetition_penalty = 1.0F;
  for (int64_t position = 0; position < 100; ++position) {
    const int32_t expected = sample(plain, logits, position);
    for (const SamplingOptions& options : others) {
      ASSERT_EQ(sample(options, logits, position), expected);
    }
  }
}

TEST(Sampler, AVeryHighTemperatureIsNearlyUniform) {
  SamplingOptions options;
  options.temperature = 1e6F;
  options.seed = kSeed;
  const Logits logits = peaked_logits(kSeed, 1000);
  Sampler sampler(options, 1000, {});
  std::set<int32_t> seen;
  for (int64_t position = 0; position < 3000; ++position) {
    seen.insert(sampler.sample(logits, position));
  }
  // 1000 (1 - e^-3) = 950 expected, standard deviation below 7.
  EXPECT_GT(seen.size(), 900u);
}

/// sum of (observed - expected)^2 / expected of draws at `draws` positions.
double chi_square(const SamplingOptions& options, const Logits& logits,
                  const std::vector<double>& probabilities, int draws) {
  Sampler sampler(options, static_cast<int64_t>(logits.size()), {});
  std::vector<int> observed(logits.size(), 0);
  for (int64_t position = 0; position < draws; ++position) {
    ++observed[static_cast<size_t>(sampler.sample(logits, position))];
  }
  double sum = 0.0;
  for (size_t id = 0; id < logits.size(); ++id) {
    const double expected = probabilities[id] * draws;
    if (expected == 0.0) {
      EXPECT_EQ(observed[id], 0) << "token " << id;
      continue;
    }
    sum += (observed[id] - expected) * (observed[id] - expected) / expected;
  }
  return sum;
}

/// softmax(logits / temperature) over the tokens of `kept`, 0 elsewhere.
std::vector<double> softmax(const Logits& logits, const std::vector<int>& kept,
                            double temperature) {
  std::vector<double> result(logits.size(), 0.0);
  double sum = 0.0;
  for (const int id : kept) sum += result[id] = std::exp(logits[id] / temperature);
  for (double& p : result) p /= sum;
  return result;
}

// Quantiles of chi-square at 1 - 10^-6.
constexpr double kChiSquare7 = 40.52;
constexpr double kChiSquare3 = 30.66;

TEST(Sampler, DrawsAreDistributedAsSoftmax) {
  const Logits logits = {0.0F, 1.0F, -1.0F, 2.0F, 0.5F, -2.0F, 1.5F, 0.25F};
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  for (const float temperature : {0.5F, 1.0F, 3.0F}) {
    SamplingOptions options;
    options.temperature = temperature;
    options.seed = kSeed;
    EXPECT_LT(chi_square(options, logits, softmax(logits, all, temperature), 40000), kChiSquare7);
  }
}

TEST(Sampler, DrawsFromWhatTruncationLeavesAreDistributedAsSoftmax) {
  // softmax: 0.49 of 3, 0.30 of 6, 0.18 of 1 and so on.
  const Logits logits = {-1.0F, 2.0F, -2.0F, 3.0F, 0.0F, -3.0F, 2.5F, -4.0F};
  const auto statistic = [&](auto change, const std::vector<int>& kept) {
    SamplingOptions options;
    options.seed = kSeed;
    options.temperature = 2.0F;
    change(options);
    return chi_square(options, logits, softmax(logits, kept, 2.0), 40000);
  };
  EXPECT_LT(statistic([](auto& o) { o.top_k = 3; }, {3, 6, 1}), kChiSquare3);
  EXPECT_LT(statistic([](auto& o) { o.top_p = 0.9F; }, {3, 6, 1}), kChiSquare3);
  EXPECT_LT(statistic([](auto& o) { o.min_p = 0.04F; }, {3, 6, 1, 4}), kChiSquare3);
}

/// Survivors and winner by their definition, on sorted tokens, nothing clever.
int32_t reference_choice(const SamplingOptions& options, const Logits& logits, const DrawKey& key) {
  Ranking ranking;
  for (size_t id = 0; id < logits.size(); ++id) {
    if (logits[id] > -kInfinity) ranking.push_back({logits[id], static_cast<int32_t>(id)});
  }
  std::sort(ranking.begin(), ranking.end(), ahead);
  if (options.temperature == 0.0F) return ranking.front().id;
  const auto weight = [&](const Candidate& token) {
    return std::exp(static_cast<double>(token.logit) - ranking.front().logit);
  };
  if (options.top_k > 0 && static_cast<size_t>(options.top_k) < ranking.size()) {
    ranking.resize(static_cast<size_t>(options.top_k));
  }
  double sum = 0.0;
  for (const Candidate& token : ranking) sum += weight(token);
  double mass = 0.0;
  size_t kept = 0;
  while (kept < ranking.size() && (kept == 0 || mass < options.top_p * sum)) {
    mass += weight(ranking[kept++]);
  }
  if (options.top_p < 1.0F) ranking.resize(kept);
  Draw best;
  for (const Candidate& token : ranking) {
    if (weight(token) < options.min_p) break;
    const Draw draw = score_token(key, options.temperature, token.logit, token.id);
    if (wins(draw, best)) best = draw;
  }
  return best.id;
}

SamplingOptions any_options() {
  SamplingOptions options;
  options.temperature = *rc::gen::elementOf(std::vector<float>{0.0F, 1e-8F, 0.7F, 1.0F, 50.0F});
  options.top_k = *rc::gen::elementOf(std::vector<int32_t>{-1, 0, 1, 40, 100, 2000});
  options.top_p = *rc::gen::elementOf(std::vector<float>{0.0F, 0.3F, 0.9F, 0.999F, 1.0F});
  options.min_p = *rc::gen::elementOf(std::vector<float>{0.0F, 1e-4F, 0.05F, 0.7F, 1.0F});
  options.seed = *rc::gen::arbitrary<uint64_t>();
  return options;
}

TEST(Sampler, EveryCombinationOfOptionsDoesWhatItsDefinitionSays) {
  EXPECT_TRUE(rc::check([] {
    const SamplingOptions options = any_options();
    const int64_t size = *rc::gen::inRange(1, 9000);
    const float scale = *rc::gen::elementOf(std::vector<float>{0.01F, 0.3F, 1.0F});
    Logits logits = peaked_logits(*options.seed, size);
    for (float& logit : logits) logit *= scale;
    const DrawKey key{*options.seed, 0, 17};
    RC_ASSERT(sample(options, logits, 17) == reference_choice(options, logits, key));
  }));
}

/// Chooses as several ranks would: each summarises its share, all see every summary.
Choice choose_from_shards(const SamplingOptions& options, const Logits& logits,
                          const Partition& partition, int64_t position) {
  std::vector<ShardSummary> summaries;
  const auto gather = [&](const ShardRequest& request) {
    summaries.clear();
    ShardScan scan;
    for (int rank = 0; rank < partition.ranks(); ++rank) {
      const Range range = partition.of(rank);
      const std::span<const float> share(logits.data() + range.begin, logits.data() + range.end);
      // An empty range may begin at the end of a short block.
      summaries.push_back(scan(share, range.empty() ? 0 : range.begin, request));
    }
    return std::span<const ShardSummary>(summaries);
  };
  Ranking ranking;
  return choose_token(options, {*options.seed, 0, position}, gather, ranking);
}

TEST(Sampler, EveryCutOfTheVocabularyGivesTheTokenOfOne) {
  EXPECT_TRUE(rc::check([] {
    const SamplingOptions options = any_options();
    const int64_t size = *rc::gen::inRange(1, 9000);
    const auto shares = *rc::gen::nonEmpty(
        rc::gen::resize(12, rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 20))));
    const Partition partition(size, kVocabularyBlock,
                              std::vector<double>(shares.begin(), shares.end()));
    const Logits logits = peaked_logits(*options.seed + 1, size);
    const Choice choice = choose_from_shards(options, logits, partition, 5);
    RC_ASSERT(choice.token == sample(options, logits, 5));
    if (options.top_k > 0 || options.temperature == 0.0F) RC_ASSERT(choice.gathers == 1);
  }));
}

TEST(Sampler, AWideTopPAsksAgainAndSaysSo) {
  SamplingOptions options;
  options.seed = kSeed;
  options.top_p = 0.999F;
  const Logits flat = test::random_floats(kSeed, 30000);
  EXPECT_EQ(choose_from_shards(options, flat, {30000, kVocabularyBlock, 3}, 0).gathers, 3);
  Logits one_stands_out = flat;
  one_stands_out[7777] = 30.0F;
  EXPECT_EQ(choose_from_shards(options, one_stands_out, {30000, kVocabularyBlock, 3}, 0).gathers,
            1);
}

std::vector<int32_t> answer(int32_t choice, const Logits& logits) {
  SamplingOptions options;
  options.seed = kSeed;
  Sampler sampler(options, static_cast<int64_t>(logits.size()), {}, choice);
  std::vector<int32_t> tokens;
  for (int64_t position = 10; position < 30; ++position) {
    tokens.push_back(sampler.sample(logits, position));
  }
  return tokens;
}

TEST(Sampler, ChoicesOfOneSeedDifferAndRepeat) {
  const Logits logits = test::random_floats(kSeed, 2000);
  const auto first = answer(0, logits);
  EXPECT_NE(first, answer(1, logits));
  EXPECT_NE(first, answer(2, logits));
  EXPECT_NE(answer(1, logits), answer(2, logits));
  for (int32_t choice = 0; choice < 3; ++choice) {
    EXPECT_EQ(answer(choice, logits), answer(choice, logits));
  }
}

TEST(Sampler, WithoutASeedEachHasItsOwnAndTellsIt) {
  const Logits logits = test::random_floats(kSeed, 2000);
  Sampler one({}, 2000, {});
  Sampler other({}, 2000, {});
  EXPECT_NE(one.seed(), other.seed());
  SamplingOptions same;
  same.seed = one.seed();
  EXPECT_EQ(one.sample(logits, 3), sample(same, logits, 3));
}

TEST(Sampler, PenaltiesAndBiasChangeTheChoiceAndNotTheCallersLogits) {
  SamplingOptions options;
  options.temperature = 0.0F;
  options.repetition_penalty = 2.0F;
  const Logits logits = {3.0F, 2.0F, 2.5F, -kInfinity};
  const std::vector<int32_t> prompt = {0};
  Sampler sampler(options, 4, prompt);
  EXPECT_EQ(sampler.sample(logits, 1), 2);
  sampler.accept(2);
  EXPECT_EQ(sampler.sample(logits, 2), 1);
  EXPECT_EQ(logits[0], 3.0F);
  options.logit_bias = {{1, -kInfinity}};
  EXPECT_EQ(Sampler(options, 4, prompt).sample(logits, 1), 2);
}

TEST(Sampler, NothingLeftToChooseIsAnError) {
  const Logits banned(300, -kInfinity);
  SamplingOptions options;
  EXPECT_THROW(sample(options, banned), Error);
  options.top_p = 0.5F;
  EXPECT_THROW(sample(options, banned), Error);
  options.temperature = 0.0F;
  EXPECT_THROW(sample(options, banned), Error);
  EXPECT_THROW(log_probabilities(banned, 3), Error);
}

TEST(Sampler, WrongOptionsAndWrongSizesAreErrors) {
  SamplingOptions options;
  options.top_p = 2.0F;
  EXPECT_THROW(Sampler(options, 10, {}), Error);
  EXPECT_THROW(Sampler({}, 10, {}).sample(Logits(9, 0.0F), 0), Error);
}

TEST(Sampler, AllocatesNothingAfterTheFirstToken) {
  const Logits logits = peaked_logits(kSeed, 5000);
  std::vector<SamplingOptions> variants(5);
  variants[0].temperature = 0.0F;
  variants[2].top_k = 40;
  variants[3].top_p = 0.9F;
  variants[4].logit_bias = {{3, 1.0F}};
  for (const SamplingOptions& options : variants) {
    Sampler sampler(options, 5000, {});
    sampler.sample(logits, 0);
    const test::HeapMeter meter;
    for (int64_t position = 1; position < 20; ++position) sampler.sample(logits, position);
    EXPECT_EQ(meter.allocations(), 0);
  }
}

TEST(LogProbabilities, AreThoseOfSoftmaxMostLikelyFirst) {
  const Logits logits = peaked_logits(kSeed, 3000);
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  const LogProbabilities result = log_probabilities(logits, 5);
  EXPECT_NEAR(result.log_normalizer, std::log(sum), 1e-12 * std::log(sum) + 1e-12);
  ASSERT_EQ(result.top.size(), 5u);
  EXPECT_EQ(result.top[0].id, argmax(logits));
  for (size_t i = 0; i < 5; ++i) {
    const double logit = logits[static_cast<size_t>(result.top[i].id)];
    EXPECT_EQ(result.top[i].log_probability, logit - result.log_normalizer);
    EXPECT_LE(result.top[i].log_probability, result.top[i == 0 ? 0 : i - 1].log_probability);
  }
}

TEST(LogProbabilities, AskedForNoneOrMoreThanThereAre) {
  const Logits logits = {1.0F, -kInfinity, 2.0F};
  EXPECT_TRUE(log_probabilities(logits, 0).top.empty());
  EXPECT_EQ(log_probabilities(logits, 10).top.size(), 2u);
  EXPECT_EQ(log_probabilities({{5.0F}}, 1).top[0].log_probability, 0.0);
}

TEST(LogProbabilities, HaveTheSameBitsForEveryCut) {
  const Logits logits = peaked_logits(kSeed, 5000);
  const LogProbabilities one = log_probabilities(logits, 20);
  for (const int ranks : {2, 3, 7, 25}) {
    const Partition partition(5000, kVocabularyBlock, ranks);
    std::vector<ShardSummary> summaries;
    const auto gather = [&](const ShardRequest& request) {
      for (int rank = 0; rank < ranks; ++rank) {
        const Range range = partition.of(rank);
        ShardScan scan;
        summaries.push_back(scan({logits.data() + range.begin, logits.data() + range.end},
                                 range.empty() ? 0 : range.begin, request));
      }
      return std::span<const ShardSummary>(summaries);
    };
    const LogProbabilities many = log_probabilities(20, -1, gather);
    EXPECT_EQ(many.log_normalizer, one.log_normalizer) << ranks;
    ASSERT_EQ(many.top.size(), one.top.size());
    for (size_t i = 0; i < one.top.size(); ++i) {
      EXPECT_EQ(many.top[i].id, one.top[i].id);
      EXPECT_EQ(many.top[i].log_probability, one.top[i].log_probability);
    }
  }
}

}  // namespace
}  // namespace colonnade
