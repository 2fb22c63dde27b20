#include "colonnade/api/plan_prediction.h"

#include "tests/support/shape_model.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr test::ModelShape kSmol{"SmolLM2 135M", 30, 576, 9, 3, 64, 1536, 49152, true};
constexpr Link kLink{"test", 1e-3, 1e6, Link::machines};  // 1 ms, 1 byte per microsecond

ModelPlan plan_of(int ranks, std::vector<double> shares = {}) {
  return plan_model(test::ShapeSource(kSmol, WeightFormat::q8_0), test::config_of(kSmol),
                    {.ranks = ranks, .shares = std::move(shares)});
}

TEST(Prediction, OneShotCostsOneLatencyAndTheBytesOfAllOthers) {
  EXPECT_DOUBLE_EQ(exchange_seconds(kLink, Exchange::gather, 4, 1000), 1e-3 + 3 * 1e-3);
  EXPECT_DOUBLE_EQ(exchange_seconds(kLink, Exchange::gather, 1, 1000), 0);
}

TEST(Prediction, ASumInTwoShotsIsTakenWhereItIsFaster) {
  EXPECT_DOUBLE_EQ(exchange_seconds(kLink, Exchange::sum, 4, 100), 1e-3 + 3 * 1e-4);
  EXPECT_DOUBLE_EQ(exchange_seconds(kLink, Exchange::sum, 4, 10000), 2e-3 + 2 * 3 * 1e-2 / 4);
  EXPECT_DOUBLE_EQ(exchange_seconds(kLink, Exchange::sum, 2, 1000000), 1e-3 + 1);
}

TEST(Prediction, TheSlowestRankDecidesTheTimeToRead) {
  const ModelPlan plan = plan_of(2);
  const auto bytes = [&](size_t r) { return static_cast<double>(plan.ranks[r].bytes_per_token); };
  EXPECT_DOUBLE_EQ(predict_decode(plan, kLink, {1e9, 1e9}, 0).read_s, bytes(0) / 1e9);
  EXPECT_DOUBLE_EQ(predict_decode(plan, kLink, {1e9, 5e8}, 0).read_s, bytes(1) / 5e8);
}

TEST(Prediction, PositionsBeforeTheTokenAreReadFromTheCache) {
  const ModelPlan plan = plan_of(1);
  const RankPlan& rank = plan.ranks[0];
  EXPECT_DOUBLE_EQ(
      predict_decode(plan, kLink, {1e9}, 1000).read_s,
      static_cast<double>(rank.bytes_per_token + 1000 * rank.cache_bytes_per_position) / 1e9);
}

TEST(Prediction, AllExchangesOfATokenAreCounted) {
  const ModelPlan plan = plan_of(2);
  const Prediction p = predict_decode(plan, kLink, {1e9, 1e9}, 0);
  // One peer: nothing is faster in two shots.
  EXPECT_NEAR(p.exchange_s,
              63 * 1e-3 + static_cast<double>(plan.exchanged_bytes_per_token()) * 1e-6, 1e-12);
  EXPECT_DOUBLE_EQ(p.tokens_per_s(), 1 / (p.read_s + p.exchange_s));
  EXPECT_EQ(predict_decode(plan_of(1), kLink, {1e9}, 0).exchange_s, 0);
}

TEST(Prediction, ABetterLinkIsNeverSlower) {
  const ModelPlan plan = plan_of(3);
  double last = 1e300;
  for (const char* name : {"shared-memory", "10GbE", "1GbE"}) {
    const double speed =
        predict_decode(plan, *find_link(name), {1e10, 1e10, 1e10}, 0).tokens_per_s();
    EXPECT_LT(speed, last) << name;
    last = speed;
  }
  EXPECT_EQ(find_link("pigeon"), nullptr);
}

TEST(Prediction, EveryRankNeedsABandwidth) {
  EXPECT_THROW(predict_decode(plan_of(2), kLink, {1e9}, 0), Error);
  EXPECT_THROW(predict_decode(plan_of(2), kLink, {1e9, 0}, 0), Error);
}

}  // namespace
}  // namespace colonnade
