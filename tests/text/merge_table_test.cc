#include "colonnade/text/merge_table.h"

#include <map>

#include "tests/support/random.h"
#include <gtest/gtest.h>

namespace colonnade::text {
namespace {

TEST(MergeTable, AnEmptyTableFindsNothing) {
  const MergeTable table(0);
  EXPECT_EQ(table.find(0, 0), nullptr);
  EXPECT_EQ(table.find(1, 2), nullptr);
}

TEST(MergeTable, FindsWhatAMapFinds) {
  constexpr uint64_t kSeed = 1;
  constexpr int kPairs = 20'000;
  test::Random random(kSeed);
  std::map<std::pair<int32_t, int32_t>, int32_t> expected;
  MergeTable table(kPairs);
  const auto draw = [&] { return static_cast<int32_t>(random.integer(0, 300)); };
  for (int32_t rank = 0; rank < kPairs; ++rank) {
    const int32_t left = draw(), right = draw();
    expected[{left, right}] = rank;  // the later one counts
    table.insert(left, right, {rank, rank + 1});
  }
  for (int32_t left = 0; left <= 301; ++left) {
    for (int32_t right = 0; right <= 301; ++right) {
      const auto it = expected.find({left, right});
      const Merge* merge = table.find(left, right);
      ASSERT_EQ(merge != nullptr, it != expected.end());
      if (!merge) continue;
      ASSERT_EQ(merge->rank, it->second);
      ASSERT_EQ(merge->token, it->second + 1);
    }
  }
}

}  // namespace
}  // namespace colonnade::text
