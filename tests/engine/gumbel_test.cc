#include "colonnade/engine/gumbel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace colonnade {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Gumbel, FallsFromItsLargestToItsSmallestValue) {
  EXPECT_NEAR(gumbel(0), 33 * std::log(2.0), 1e-9);
  EXPECT_LT(gumbel(0), kLargestGumbel);
  EXPECT_NEAR(gumbel(0xffffffff), -std::log(33 * std::log(2.0)), 1e-9);
  EXPECT_NEAR(gumbel(0x80000000), -std::log(std::log(2.0)), 1e-9);
  for (uint32_t k = 0; k < 0xffff0000; k += 0x10001) ASSERT_GT(gumbel(k), gumbel(k + 0x10001)) << k;
}

TEST(Gumbel, WordsDependOnEveryPartOfTheKey) {
  const DrawKey key{0x100000001, 1, 0x200000001};
  const auto words = random_words(key, 7);
  EXPECT_EQ(words, random_words(key, 7));
  EXPECT_NE(words, random_words(key, 8));
  EXPECT_NE(words, random_words({0x100000000, 1, 0x200000001}, 7));
  EXPECT_NE(words, random_words({0x000000001, 1, 0x200000001}, 7));
  EXPECT_NE(words, random_words({0x100000001, 0, 0x200000001}, 7));
  EXPECT_NE(words, random_words({0x100000001, 1, 0x200000000}, 7));
  EXPECT_NE(words, random_words({0x100000001, 1, 0x000000001}, 7));
}

TEST(Gumbel, TheHigherScoreWinsThenTheLowerIdAndNothingNeverWins) {
  EXPECT_TRUE(wins({2.0, 9}, {1.0, 3}));
  EXPECT_FALSE(wins({1.0, 3}, {2.0, 9}));
  EXPECT_TRUE(wins({1.0, 3}, {1.0, 4}));
  EXPECT_FALSE(wins({1.0, 4}, {1.0, 3}));
  EXPECT_FALSE(wins({}, {-1e300, 3}));
  EXPECT_TRUE(wins({-1e300, 3}, {}));
}

struct Table {
  std::vector<float> logits;
  std::vector<float> block_max;
  int32_t first_id;
};

Table table_of(std::vector<float> logits, int32_t first_id) {
  Table table{std::move(logits), {}, first_id};
  for (size_t i = 0; i < table.logits.size(); i += 256) {
    const auto begin = table.logits.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end =
        begin + static_cast<std::ptrdiff_t>(std::min<size_t>(256, table.logits.size() - i));
    table.block_max.push_back(*std::max_element(begin, end));
  }
  return table;
}

Draw draw_from(const Table& table, const DrawKey& key, double temperature) {
  return draw_token(key, temperature, table.logits, table.first_id, table.block_max);
}

/// Every token scored, nothing skipped.
Draw draw_from_every(const Table& table, const DrawKey& key, double temperature) {
  Draw best;
  for (size_t i = 0; i < table.logits.size(); ++i) {
    const Draw draw =
        score_token(key, temperature, table.logits[i], table.first_id + static_cast<int32_t>(i));
    if (wins(draw, best)) best = draw;
  }
  return best;
}

TEST(Gumbel, SkippingWhatCannotWinChangesNothing) {
  const double temperatures[] = {1e-8, 0.01, 0.3, 0.7, 1.0, 2.0, 30.0, 1e6, 1e30};
  EXPECT_TRUE(rc::check([&] {
    const int size = *rc::gen::inRange(1, 3000);
    const int first_block = *rc::gen::inRange(0, 4);
    const double spread = *rc::gen::elementOf(std::vector<double>{0.0, 1e-6, 0.5, 4.0, 100.0});
    const bool bans = *rc::gen::arbitrary<bool>();
    std::vector<float> logits;
    uint32_t state = *rc::gen::arbitrary<uint32_t>();
    for (int i = 0; i < size; ++i) {
      state = state * 1664525u + 1013904223u;
      const double uniform = (state >> 8) * 0x1p-24;
      // Cubed: few large ones over many small ones, as language models have it.
      logits.push_back(static_cast<float>(spread * (8 * uniform * uniform * uniform - 2)));
      if (bans && state % 3 == 0) logits.back() = -kInfinity;
    }
    const Table table = table_of(logits, first_block * 256);
    for (const double temperature : temperatures) {
      const DrawKey key{state, 1, size};
      const Draw draw = draw_from(table, key, temperature);
      const Draw expected = draw_from_every(table, key, temperature);
      RC_ASSERT(draw.id == expected.id);
      RC_ASSERT(draw.score == expected.score);
    }
  }));
}

TEST(Gumbel, BannedTokensAreNeverDrawn) {
  EXPECT_EQ(draw_from(table_of(std::vector<float>(300, -kInfinity), 0), {}, 1.0).id, -1);
  std::vector<float> one_left(300, -kInfinity);
  one_left[270] = -1000.0F;
  EXPECT_EQ(draw_from(table_of(one_left, 256), {}, 1.0).id, 526);
  EXPECT_EQ(draw_from(table_of({}, 256), {}, 1.0).id, -1);
}

}  // namespace
}  // namespace colonnade
