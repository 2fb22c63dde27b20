#include "colonnade/engine/ranking.h"

#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 5;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Ranking, OrderIsByFallingLogitThenRisingId) {
  EXPECT_TRUE(ahead({2.0F, 9}, {1.0F, 0}));
  EXPECT_FALSE(ahead({1.0F, 0}, {2.0F, 9}));
  EXPECT_TRUE(ahead({1.0F, 3}, {1.0F, 4}));
  EXPECT_FALSE(ahead({1.0F, 4}, {1.0F, 4}));
  EXPECT_TRUE(ahead({-0.0F, 3}, {0.0F, 4}));
}

TEST(Ranking, FallingOrderRisesAsLogitsFall) {
  const float falling[] = {kInfinity, 3e38F,   2.0F,  1.0F,   1e-45F,
                           0.0F,      -1e-45F, -1.0F, -3e38F, -kInfinity};
  for (size_t i = 0; i + 1 < std::size(falling); ++i) {
    EXPECT_LT(falling_order(falling[i]), falling_order(falling[i + 1])) << falling[i];
    EXPECT_EQ(logit_of_order(falling_order(falling[i])), falling[i]);
  }
  EXPECT_EQ(falling_order(-0.0F), falling_order(0.0F));
}

TEST(Ranking, SortingFewAndManyGivesTheOrder) {
  std::mt19937_64 random(kSeed);
  Ranking spare;
  for (const int size : {0, 1, 2, 999, 1000, 1001, 40000}) {
    Ranking candidates;
    for (int i = 0; i < size; ++i) {
      // A thousand different logits: many ties.
      const auto step = static_cast<float>(static_cast<int>(random() % 1000) - 500);
      candidates.push_back({step == 0.0F && i % 2 == 0 ? -0.0F : step / 8, 3 * i});
    }
    Ranking expected = candidates;
    std::stable_sort(expected.begin(), expected.end(), ahead);
    sort_candidates(candidates, spare);
    ASSERT_EQ(candidates.size(), expected.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      ASSERT_EQ(candidates[i].id, expected[i].id) << size;
      ASSERT_EQ(candidates[i].logit, expected[i].logit) << size;
    }
  }
}

}  // namespace
}  // namespace colonnade
