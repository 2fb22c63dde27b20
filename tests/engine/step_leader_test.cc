#include "colonnade/engine/step_leader.h"

#include <limits>

#include "tests/support/bits.h"
#include "tests/support/loaded_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/comm/thread_ranks.h"

namespace colonnade {
namespace {

constexpr int64_t kContext = 128;

/// A rank of the tiny model with what it needs to run steps.
struct RankModel {
  explicit RankModel(Group& group)
      : model({}, Tier::int8, Cut{group.rank(), group.size(), {}}),
        pages(*model.device, model.layout()),
        runner({*model.device, model.workspace, {&group}, {}}, model.decoder, pages,
               {kContext, model.config.vocab}) {}

  test::LoadedModel model;
  PagePool pages;
  StepRunner runner;
};

/// Three tokens of a new sequence, the last one's logits wanted.
Step three_tokens(PagePool& pages) {
  Step step;
  step.tokens = {72, 101, 300};
  step.sequences = {{3, 0, {pages.take()}}};
  step.rows = {{2, {}, {}}};
  step.rows[0].request.candidates = 10;
  step.gathers_logits = true;
  return step;
}

struct Seen {
  std::vector<float> logits;
  int64_t exchanges = 0;
};

Seen run_on(int ranks) {
  Seen seen;
  run_as_threads(ranks, [&](Group& group) {
    RankModel rank(group);
    if (group.rank() > 0) return follow(rank.runner);
    StepLeader leader(rank.runner);
    Step step = three_tokens(rank.pages);
    leader.run(step);
    EXPECT_EQ(step.number, 1u);
    const int64_t before = group.stats().exchanges;
    const StepResult& result = leader.run(step);
    seen.exchanges = group.stats().exchanges - before;
    EXPECT_EQ(result.shards(0).size(), static_cast<size_t>(ranks));
    const std::span<const float> logits = result.logits(0);
    seen.logits.assign(logits.begin(), logits.end());
  });
  return seen;
}

TEST(StepLeader, EveryRankCountGivesTheLogitsOfOne) {
  const Seen one = run_on(1);
  EXPECT_EQ(one.logits.size(), 600u);
  for (const int ranks : {2, 3, 5}) {
    EXPECT_TRUE(test::same_bits(run_on(ranks).logits, one.logits)) << ranks << " ranks";
  }
}

TEST(StepLeader, AStepIsToldOnceSummedTwicePerLayerAndAnsweredOnce) {
  constexpr int64_t kLayers = 2;
  // The step, the embedding, two sums per layer, what rank 0 needs to choose a token.
  EXPECT_EQ(run_on(2).exchanges, 1 + 1 + 2 * kLayers + 1);
}

TEST(StepLeader, AFailureOnOneRankIsThrownByTheLeaderAndTheRanksGoOn) {
  run_as_threads(3, [&](Group& group) {
    RankModel rank(group);
    if (group.rank() == 2) {
      bool failed = false;
      rank.runner.set_probe([&](std::string_view name, const Tensor&) {
        if (name != "blk.1.attention" || std::exchange(failed, true)) return;
        throw Error("no memory for the experiment");
      });
    }
    if (group.rank() > 0) return follow(rank.runner);
    StepLeader leader(rank.runner);
    Step step = three_tokens(rank.pages);
    try {
      leader.run(step);
      ADD_FAILURE() << "no exception";
    } catch (const AgreedError& error) {
      EXPECT_STREQ(error.what(), "rank 2: no memory for the experiment");
    }
    leader.run(step);
  });
}

TEST(StepLeader, AWrongTokenIsTheSameErrorOnAllRanksAndNamesNone) {
  for (const int ranks : {1, 3}) {
    run_as_threads(ranks, [&](Group& group) {
      RankModel rank(group);
      if (group.rank() > 0) return follow(rank.runner);
      StepLeader leader(rank.runner);
      Step step = three_tokens(rank.pages);
      step.tokens[1] = 600;
      try {
        leader.run(step);
        ADD_FAILURE() << "no exception";
      } catch (const AgreedError& error) {
        EXPECT_STREQ(error.what(), "embed: token 1: expected 0 to 599, got 600");
      }
    });
  }
}

TEST(StepLeader, AFailureBehindTheLastExchangeOfAStepLeavesTheRanksToGoOn) {
  run_as_threads(3, [&](Group& group) {
    RankModel rank(group);
    if (group.rank() > 0) return follow(rank.runner);
    StepLeader leader(rank.runner);
    Step step = three_tokens(rank.pages);
    leader.run(step);
    // What rank 0 makes of the ranks' answers went wrong: the others wait for the next step
    // already.
    EXPECT_THROW(group.fail_together({.words = "no memory"}), AgreedError);
    EXPECT_FALSE(leader.run(step).logits(0).empty());
  });
}

TEST(StepLeader, ALogitThatIsNoNumberIsTheSameErrorForEveryNumberOfRanks) {
  std::string words[2];
  for (const int ranks : {1, 3}) {
    run_as_threads(ranks, [&](Group& group) {
      RankModel rank(group);
      if (group.rank() > 0) return follow(rank.runner);
      StepLeader leader(rank.runner);
      Step step = three_tokens(rank.pages);
      const float infinity = std::numeric_limits<float>::infinity();
      step.rows[0].changes.bias = {{300, infinity}, {599, infinity}};
      try {
        leader.run(step);
      } catch (const AgreedError& error) {
        words[ranks == 1 ? 0 : 1] = error.what();
      }
    });
  }
  EXPECT_THAT(words[0], testing::StartsWith("sampling: logit of token 300: "));
  EXPECT_EQ(words[1], words[0]);
}

}  // namespace
}  // namespace colonnade
