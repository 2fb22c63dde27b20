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
  StepRunner runner_{model_.cx(), model_.decoder, pages_, kContext};

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
  std::vector<float> values(const Tensor& logits) const {
    return {logits.f32(), logits.f32() + logits.elements()};
  }
};

TEST_F(StepRunnerTest, GivesLogitsOfTheWantedRows) {
  Step step{.number = 1, .tokens = ids(70, 1), .sequences = {sequence(70)}, .out_rows = {69, 3}};
  const Tensor logits = runner_.run(step);
  EXPECT_EQ(logits.shape(), (Shape{2, runner_.vocab()}));
  step.out_rows.clear();
  EXPECT_FALSE(static_cast<bool>(runner_.run(step)));
}

TEST_F(StepRunnerTest, AFirstStepThatFillsItsPagesIsAsALaterOne) {
  const Step step{
      .number = 1, .tokens = ids(256, 3), .sequences = {sequence(256)}, .out_rows = {255}};
  StepRunner fresh(model_.cx(), model_.decoder, pages_, kContext);
  const std::vector<float> first = values(fresh.run(step));
  EXPECT_TRUE(test::same_bits(values(fresh.run(step)), first));
}

TEST_F(StepRunnerTest, ASequenceHasTheSameBitsAloneAndBesideOthers) {
  const std::vector<int32_t> a = ids(70, 1), b = ids(9, 2);
  const std::vector<float> alone_a = values(
      runner_.run({.number = 1, .tokens = a, .sequences = {sequence(70)}, .out_rows = {69}}));
  const std::vector<float> alone_b =
      values(runner_.run({.number = 2, .tokens = b, .sequences = {sequence(9)}, .out_rows = {8}}));
  std::vector<int32_t> both = b;
  both.insert(both.end(), a.begin(), a.end());
  const std::vector<float> together = values(runner_.run({.number = 3,
                                                          .tokens = both,
                                                          .sequences = {sequence(9), sequence(70)},
                                                          .out_rows = {8, 78}}));
  const auto vocab = static_cast<size_t>(runner_.vocab());
  EXPECT_TRUE(test::same_bits(std::span(together).first(vocab), alone_b));
  EXPECT_TRUE(test::same_bits(std::span(together).subspan(vocab), alone_a));
}

TEST_F(StepRunnerTest, AStepContinuesWhatItsPagesHold) {
  const std::vector<int32_t> all = ids(70, 1);
  const std::vector<float> at_once = values(
      runner_.run({.number = 1, .tokens = all, .sequences = {sequence(70)}, .out_rows = {69}}));
  StepSequence part = sequence(70);
  part.tokens = 66;
  runner_.run({.number = 2,
               .tokens = {all.begin(), all.begin() + 66},
               .sequences = {part},
               .out_rows = {}});
  part.tokens = 4;
  part.first_position = 66;
  const std::vector<float> continued = values(runner_.run({.number = 3,
                                                           .tokens = {all.begin() + 66, all.end()},
                                                           .sequences = {part},
                                                           .out_rows = {3}}));
  EXPECT_TRUE(test::same_bits(continued, at_once));
}

TEST_F(StepRunnerTest, PositionsBehindTheContextAreAnErrorWithBothNumbers) {
  StepSequence far = sequence(64);
  far.tokens = 1;
  far.first_position = kContext;
  try {
    runner_.run({.number = 1, .tokens = {1}, .sequences = {far}, .out_rows = {0}});
    ADD_FAILURE() << "no exception";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("at most 256 positions, got 257"));
  }
}

}  // namespace
}  // namespace colonnade
