#include "colonnade/api/row_items.h"

#include <mutex>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(RowItems, EveryRowOfEveryTensorComesOnceAndNoMoreThanAStepAtATime) {
  const std::vector<RowsOfTensor> tensors = {{7, 10, 3}, {1, 5, 4}, {4, 2, 2}};
  std::multiset<std::pair<size_t, int64_t>> rows;
  std::mutex mutex;
  int64_t last = 0, all = 0;
  for_row_items(
      tensors, 2,
      [&](int64_t done, int64_t total) {
        EXPECT_LE(last, done);
        last = done;
        all = total;
      },
      [&](const RowItem& item) {
        EXPECT_LE(item.rows.size(), tensors[item.tensor].step);
        const std::lock_guard lock(mutex);
        for (int64_t row = item.rows.begin; row < item.rows.end; ++row)
          rows.emplace(item.tensor, row);
      });
  std::multiset<std::pair<size_t, int64_t>> expected;
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (int64_t row = 0; row < tensors[i].rows; ++row) expected.emplace(i, row);
  }
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(all, 7 * 10 + 5 + 4 * 2);
  EXPECT_EQ(last, all);
}

}  // namespace
}  // namespace colonnade
