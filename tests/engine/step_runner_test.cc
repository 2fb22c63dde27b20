#include "colonnade/engine/step_runner.h"

#include <vector>

#include "tests/support/bits.h"
#include "tests/support/loaded_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int64_t kContext = 256;

class StepRunnerTest : public testing::Test {
 protected:
  test::LoadedModel model_;
  PagePool pages_{*model_.device, model_.layout()};
  StepRunner runner_{model_.cx(), model_.decoder, pages_, {kContext, 600}};

  static std::vector<int32_t> ids(int64_t count, int32_t seed) {
    std::vector<int32_t> all;
    for (int64_t i = 0; i < count; ++i)
      all.push_back(static_cast<int32_t>((i * 37 + seed * 11 + 3) % 256));
    return all;
  }
  /// A new sequence of `tokens`.
  StepSequence sequence(int64_t tokens) {
    StepSequence made{tokens, 0, {}};
    for (int64_t i = 0; i < tokens; i += kPagePositions) made.pages.push_back(pages_.take());
    return made;
  }
  static std::vector<StepRow> rows(const std::vector<int32_t>& wanted) {
    std::vector<StepRow> made;
    for (const int32_t row : wanted) made.push_back({row, {}, {}});
    return made;
  }
  /// Logits of the step's rows, one behind the other.
  static std::vector<float> values(StepRunner& runner, Step step) {
    step.gathers_logits = true;
    const StepResult& result = runner.run(step);
    std::vector<float> all;
    for (size_t i = 0; i < step.rows.size(); ++i) {
      const std::span<const float> row = result.logits(static_cast<int64_t>(i));
      all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  }
  std::vector<float> values(const Step& step) { return values(runner_, step); }
};

TEST_F(StepRunnerTest, GivesLogitsOfTheWantedRows) {
  Step step{.number = 1, .tokens = ids(70, 1), .sequences = {sequence(70)}, .rows = rows({69, 3})};
  EXPECT_EQ(values(step).size(), static_cast<size_t>(2 * runner_.vocab()));
  EXPECT_TRUE(runner_.run(step).logits(0).empty());  // nobody wants to see them
  step.rows.clear();
  EXPECT_TRUE(values(step).empty());
}

TEST_F(StepRunnerTest, AnswersQuestionsAboutTheRowsOfTheStepBefore) {
  Step step{.number = 1, .tokens = ids(70, 1), .sequences = {sequence(70)}, .rows = rows({69, 3})};
  const std::vector<float> all = values(step);
  const auto vocab = static_cast<size_t>(runner_.vocab());
  Step question;
  question.rows = rows({1});
  question.rows[0].request.candidates = 5;
  question.rows[0].request.token = 17;
  question.rows[0].changes.bias = {{300, 100.0F}};
  const StepResult& result = runner_.run(question);
  ASSERT_EQ(result.shards(0).size(), 1u);
  const ShardSummary& summary = result.shards(0)[0];
  ASSERT_EQ(summary.candidates.size(), 5u);
  EXPECT_EQ(summary.candidates[0].id, 300);
  EXPECT_EQ(summary.candidates[0].logit, all[vocab + 300] + 100.0F);
  EXPECT_TRUE(summary.has_token);
  EXPECT_EQ(summary.token_logit, all[vocab + 17]);
  EXPECT_TRUE(test::same_bits(result.logits(0), std::span(all).first(vocab)));
}

TEST_F(StepRunnerTest, AFirstStepThatFillsItsPagesIsAsALaterOne) {
  const Step step{
      .number = 1, .tokens = ids(256, 3), .sequences = {sequence(256)}, .rows = rows({255})};
  StepRunner fresh(model_.cx(), model_.decoder, pages_, {kContext, 600});
  const std::vector<float> first = values(fresh, step);
  EXPECT_TRUE(test::same_bits(values(fresh, step), first));
}

TEST_F(StepRunnerTest, ASequenceHasTheSameBitsAloneAndBesideOthers) {
  const std::vector<int32_t> a = ids(70, 1), b = ids(9, 2);
  const std::vector<float> alone_a =
      values({.number = 1, .tokens = a, .sequences = {sequence(70)}, .rows = rows({69})});
  const std::vector<float> alone_b =
      values({.number = 2, .tokens = b, .sequences = {sequence(9)}, .rows = rows({8})});
  std::vector<int32_t> both = b;
  both.insert(both.end(), a.begin(), a.end());
  const std::vector<float> together = values({.number = 3,
                                              .tokens = both,
                                              .sequences = {sequence(9), sequence(70)},
                                              .rows = rows({8, 78})});
  const auto vocab = static_cast<size_t>(runner_.vocab());
  EXPECT_TRUE(test::same_bits(std::span(together).first(vocab), alone_b));
  EXPECT_TRUE(test::same_bits(std::span(together).subspan(vocab), alone_a));
}

TEST_F(StepRunnerTest, AStepContinuesWhatItsPagesHold) {
  const std::vector<int32_t> all = ids(70, 1);
  const std::vector<float> at_once =
      values({.number = 1, .tokens = all, .sequences = {sequence(70)}, .rows = rows({69})});
  StepSequence part = sequence(70);
  part.tokens = 66;
  runner_.run({.number = 2,
               .tokens = {all.begin(), all.begin() + 66},
               .sequences = {part},
               .rows = rows({})});
  part.tokens = 4;
  part.first_position = 66;
  const std::vector<float> continued = values({.number = 3,
                                               .tokens = {all.begin() + 66, all.end()},
                                               .sequences = {part},
                                               .rows = rows({3})});
  EXPECT_TRUE(test::same_bits(continued, at_once));
}

TEST_F(StepRunnerTest, PositionsBehindTheContextAreAnErrorWithBothNumbers) {
  StepSequence far = sequence(64);
  far.tokens = 1;
  far.first_position = kContext;
  try {
    runner_.run({.number = 1, .tokens = {1}, .sequences = {far}, .rows = rows({0})});
    ADD_FAILURE() << "no exception";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("at most 256 positions, got 257"));
  }
}

}  // namespace
}  // namespace colonnade
