#include "colonnade/engine/penalties.h"

#include <limits>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

using Logits = std::vector<float>;
using Tokens = std::vector<int32_t>;

Logits apply(const Penalties& penalties, Logits logits, int64_t first_id = 0) {
  penalties.changes().apply(logits, first_id);
  return logits;
}

TEST(Penalties, RepetitionDividesPositiveAndMultipliesNegativeLogitsOfSeenTokens) {
  SamplingOptions options;
  options.repetition_penalty = 2.0F;
  const Penalties penalties(options, Tokens{0, 1});
  EXPECT_TRUE(penalties.changes().any());
  EXPECT_EQ(apply(penalties, {2.0F, -1.0F, 0.5F}), (Logits{1.0F, -2.0F, 0.5F}));
}

TEST(Penalties, PresenceAndFrequencyCountTheAnswerOnly) {
  SamplingOptions options;
  options.presence_penalty = 0.5F;
  options.frequency_penalty = 0.25F;
  Penalties penalties(options, Tokens{0, 1, 1});
  EXPECT_EQ(apply(penalties, {2.0F, -1.0F, 0.5F}), (Logits{2.0F, -1.0F, 0.5F}));
  penalties.accept(0);
  penalties.accept(0);
  EXPECT_EQ(apply(penalties, {2.0F, -1.0F, 0.5F}), (Logits{1.0F, -1.0F, 0.5F}));
}

TEST(Penalties, RepetitionComesBeforePresenceAndFrequency) {
  SamplingOptions options;
  options.repetition_penalty = 2.0F;
  options.presence_penalty = 0.5F;
  Penalties penalties(options, {});
  penalties.accept(1);
  EXPECT_EQ(apply(penalties, {2.0F, 4.0F}), (Logits{2.0F, 1.5F}));
}

TEST(Penalties, OnlyTheLastTokensCount) {
  SamplingOptions options;
  options.repetition_penalty = 2.0F;
  options.frequency_penalty = 1.0F;
  options.repeat_last_n = 2;
  Penalties penalties(options, Tokens{0, 1, 2});
  EXPECT_EQ(apply(penalties, {8, 8, 8, 8}), (Logits{8, 4, 4, 8}));
  penalties.accept(3);  // 2 3
  EXPECT_EQ(apply(penalties, {8, 8, 8, 8}), (Logits{8, 8, 4, 3}));
  penalties.accept(3);  // 3 3
  EXPECT_EQ(apply(penalties, {8, 8, 8, 8}), (Logits{8, 8, 8, 2}));
  penalties.accept(0);  // 3 0
  EXPECT_EQ(apply(penalties, {8, 8, 8, 8}), (Logits{3, 8, 8, 3}));
  penalties.accept(1);  // 0 1
  EXPECT_EQ(apply(penalties, {8, 8, 8, 8}), (Logits{3, 3, 8, 8}));
}

TEST(Penalties, AWindowOfNothingOrPenaltiesThatAreOffChangeNothing) {
  SamplingOptions options;
  EXPECT_FALSE(Penalties(options, Tokens{0}).changes().any());
  options.repetition_penalty = 2.0F;
  options.repeat_last_n = 0;
  Penalties penalties(options, Tokens{0});
  penalties.accept(0);
  EXPECT_FALSE(penalties.changes().any());
  EXPECT_EQ(apply(penalties, {8.0F}), Logits{8.0F});
}

TEST(Penalties, BiasIsAddedFirstAndMayBan) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  SamplingOptions options;
  options.logit_bias = {{0, 2.0F}, {1, -kInfinity}, {0, 1.0F}};
  options.repetition_penalty = 2.0F;
  const Penalties penalties(options, Tokens{0, 1});
  EXPECT_TRUE(penalties.changes().any());
  EXPECT_EQ(apply(penalties, {1.0F, 5.0F, 1.0F}), (Logits{2.0F, -kInfinity, 1.0F}));
}

TEST(Penalties, AShardChangesItsOwnTokens) {
  SamplingOptions options;
  options.logit_bias = {{3, 1.0F}, {5, 1.0F}, {9, 1.0F}};
  options.repetition_penalty = 2.0F;
  const Penalties penalties(options, Tokens{2, 4, 8});
  EXPECT_EQ(apply(penalties, {4, 4, 4, 4}, 4), (Logits{2, 5, 4, 4}));
  EXPECT_EQ(apply(penalties, {}, 4), Logits{});
}

}  // namespace
}  // namespace colonnade
