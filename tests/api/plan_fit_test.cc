#include "colonnade/api/plan_fit.h"

#include <string>

#include "tests/support/shape_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using test::ModelShape;
using test::ShapeSource;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr ModelShape kLlama1B{"Llama 3.2 1B", 16, 2048, 32, 8, 64, 8192, 128256, true};

struct Judged {
  ModelPlan plan;
  PlanFit fit;
};

Judged judge(const PlanRequest& request, const MemoryOffer& offer) {
  const ShapeSource source(kLlama1B, WeightFormat::q4_0);
  const ModelPlan plan = plan_model(source, test::config_of(kLlama1B), request);
  return {plan, judge_fit(source, plan, request, offer)};
}

int64_t most_of(const ModelPlan& plan) {
  int64_t most = 0;
  for (const RankPlan& rank : plan.ranks) most = std::max(most, rank.memory.total());
  return most;
}

TEST(PlanFit, ARankFitsIntoExactlyItsBytesAndNotIntoOneLess) {
  const PlanRequest request{.ranks = 2};
  const int64_t most = most_of(judge(request, {{kMiB}}).plan);
  EXPECT_TRUE(judge(request, {{most}}).fit.fits);
  EXPECT_FALSE(judge(request, {{most - 1}}).fit.fits);
}

TEST(PlanFit, TheLongestContextFitsAndOnePositionMoreDoesNot) {
  for (const bool shared : {false, true}) {
    const MemoryOffer offer{{1200 * kMiB}, shared};
    const int64_t longest = judge({.ranks = 2}, offer).fit.longest_context;
    ASSERT_GT(longest, 0);
    ASSERT_LT(longest, 131072);
    EXPECT_TRUE(judge({.ranks = 2, .context = longest}, offer).fit.fits);
    EXPECT_FALSE(judge({.ranks = 2, .context = longest + 1}, offer).fit.fits);
  }
}

TEST(PlanFit, WithPlentyTheContextIsTheModels) {
  EXPECT_EQ(judge({.ranks = 2}, {{int64_t{1} << 40}}).fit.longest_context, 131072);
}

TEST(PlanFit, TheNearestNumberOfRanksFitsAndTheOneBelowDoesNot) {
  const MemoryOffer offer{{300 * kMiB}};
  const PlanFit fit = judge({.ranks = 2, .context = 2048}, offer).fit;
  EXPECT_FALSE(fit.fits);
  ASSERT_GT(fit.nearest_ranks, 2);
  EXPECT_TRUE(judge({.ranks = fit.nearest_ranks, .context = 2048}, offer).fit.fits);
  EXPECT_FALSE(judge({.ranks = fit.nearest_ranks - 1, .context = 2048}, offer).fit.fits);
}

TEST(PlanFit, WhereNoNumberOfRanksFitsNoneIsNamed) {
  const PlanFit fit = judge({.ranks = 2}, {{kMiB}}).fit;
  EXPECT_FALSE(fit.fits);
  EXPECT_EQ(fit.nearest_ranks, 0);
  EXPECT_EQ(fit.longest_context, 0);
}

TEST(PlanFit, RanksOfOneMachineShareItsMemory) {
  const PlanRequest request{.ranks = 4};
  int64_t sum = 0;
  for (const RankPlan& rank : judge(request, {{kMiB}}).plan.ranks) sum += rank.memory.total();
  EXPECT_TRUE(judge(request, {{sum}, true}).fit.fits);
  const PlanFit tight = judge(request, {{sum - 1}, true}).fit;
  EXPECT_EQ(tight.rank_fits, std::vector<bool>(4, false));
  EXPECT_EQ(tight.nearest_ranks, 3);  // fewer ranks hold less of everything twice
}

TEST(PlanFit, UnevenMemoryIsMetByUnevenShares) {
  const MemoryOffer offer{{900 * kMiB, 300 * kMiB}};
  const PlanFit fit = judge({.ranks = 2, .context = 1024}, offer).fit;
  EXPECT_EQ(fit.rank_fits, (std::vector<bool>{true, false}));
  EXPECT_EQ(fit.better_shares, (std::vector<double>{3, 1}));
  EXPECT_TRUE(judge({.ranks = 2, .shares = {3, 1}, .context = 1024}, offer).fit.fits);
}

TEST(PlanFit, AnOfferForAnotherNumberOfRanksIsAnError) {
  EXPECT_THROW(judge({.ranks = 3}, {{kMiB, kMiB}}), Error);
}

}  // namespace
}  // namespace colonnade
