#include "colonnade/api/rank_engine.h"

#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/api/plan.h"
#include "colonnade/comm/thread_ranks.h"

namespace colonnade {
namespace {

class RankEngineTest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;

  SessionOptions options(int ranks, const test::TinyShape& shape = {}) {
    SessionOptions o;
    o.model = folder_.write("tiny.gguf", test::tiny_model(shape));
    o.ranks = ranks;
    o.threads = 1;
    return o;
  }
};

TEST_F(RankEngineTest, WhatARankHoldsAndComputesIsWhatThePlanSays) {
  test::TinyShape untied{.dim = 256, .ffn_dim = 512, .heads = 8, .kv_heads = 2};
  untied.types.head = 8;
  for (const test::TinyShape& shape : {test::TinyShape{}, untied}) {
    for (const int ranks : {1, 2, 3, 5}) {
      const SessionModel model(options(ranks, shape));
      const ModelPlan plan = plan_model(model.source, model.config, {.ranks = ranks});
      run_as_threads(ranks, [&](Group& group) {
        const RankEngine engine(model, group, {});
        ASSERT_EQ(engine.reports().size(), static_cast<size_t>(ranks));
        for (int r = 0; r < ranks; ++r) {
          const RankReport& counted = engine.reports()[static_cast<size_t>(r)];
          const RankPlan& planned = plan.ranks[static_cast<size_t>(r)];
          EXPECT_EQ(counted.bytes_per_token, planned.bytes_per_token);
          EXPECT_EQ(counted.multiply_adds, planned.multiply_adds);
          EXPECT_NEAR(static_cast<double>(counted.weight_bytes) /
                          static_cast<double>(planned.memory.weight_bytes),
                      1.0, 0.05);
        }
      });
    }
  }
}

TEST_F(RankEngineTest, AllRanksTogetherReadTheFileAboutOnce) {
  SessionOptions o = options(3, {.layers = 4});
  const SessionModel model(o);
  const int64_t before = model.files.bytes_read();
  run_as_threads(3, [&](Group& group) { const RankEngine engine(model, group, {}); });
  const auto read = static_cast<double>(model.files.bytes_read() - before);
  // Norms and the KV heads that two ranks need are read more than once.
  EXPECT_LT(read / static_cast<double>(model.files.size_bytes()), 1.1);
  EXPECT_GT(read / static_cast<double>(model.files.size_bytes()), 0.5);
}

TEST_F(RankEngineTest, ProgressTellsOfEveryRank) {
  const SessionModel model(options(2));
  std::vector<LoadedBytes> last;
  run_as_threads(2, [&](Group& group) {
    const LoadProgress progress = [&](std::span<const LoadedBytes> ranks) {
      last.assign(ranks.begin(), ranks.end());
    };
    const RankEngine engine(model, group, group.rank() == 0 ? progress : LoadProgress());
  });
  ASSERT_EQ(last.size(), 2u);
  for (const LoadedBytes& rank : last) EXPECT_EQ(rank.done, rank.all);
  EXPECT_GT(last[0].all, model.files.size_bytes() / 4);
  EXPECT_GT(last[1].all, model.files.size_bytes() / 4);
}

TEST_F(RankEngineTest, ARankThatCannotLoadIsNamedByAll) {
  SessionOptions o = options(2);
  o.each = {{.threads = 1, .isa = ""}, {.threads = 1, .isa = "abacus"}};
  const SessionModel model(o);
  run_as_threads(2, [&](Group& group) {
    try {
      const RankEngine engine(model, group, {});
      ADD_FAILURE() << "no exception";
    } catch (const AgreedError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("rank 1: "));
      EXPECT_THAT(error.what(), testing::HasSubstr("abacus"));
    }
  });
}

TEST_F(RankEngineTest, MeasuredSharesAreTheSameOnAllRanksAndSumToTheWhole) {
  SessionOptions o = options(3, {.ffn_dim = 1024});
  o.measured_shares = true;
  o.each = {{}, {.threads = 1, .isa = "scalar"}, {}};
  const SessionModel model(o);
  run_as_threads(3, [&](Group& group) {
    const RankEngine engine(model, group, {});
    int64_t products = 0;
    for (const RankReport& report : engine.reports()) products += report.multiply_adds;
    EXPECT_LT(engine.reports()[1].multiply_adds, products / 3);  // the slow one has less to do
  });
}

TEST_F(RankEngineTest, ThreadsAreDividedAmongTheRanks) {
  SessionOptions o = options(2);
  o.threads = 0;
  SessionModel model(o);
  model.cores = {0, 1, 2, 3, 4};
  model.cpus = 5;
  EXPECT_EQ(model.threads_of(0), 3);
  EXPECT_EQ(model.threads_of(1), 2);
  EXPECT_FALSE(model.crowded());
  model.cpus = 1;
  EXPECT_EQ(model.threads_of(1), 1);
  EXPECT_TRUE(model.crowded());
}

}  // namespace
}  // namespace colonnade
