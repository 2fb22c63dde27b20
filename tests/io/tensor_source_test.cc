#include "colonnade/io/tensor_source.h"

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

TensorEntry entry_of(int64_t rows, int64_t cols, RowMap map) {
  TensorEntry entry;
  entry.rows = rows;
  entry.cols = cols;
  entry.map = map;
  return entry;
}

TEST(RowMap, RowsOfABlockStandTogetherAndBlocksAStrideApart) {
  constexpr RowMap map{.first = 3, .block = 4, .stride = 10};
  EXPECT_EQ(map(0), 3);
  EXPECT_EQ(map(3), 6);
  EXPECT_EQ(map(4), 13);
  EXPECT_EQ(map(9), 24);
  EXPECT_EQ(map.together(0), 4);
  EXPECT_EQ(map.together(6), 2);
}

TEST(RowMap, InterleavedHeadsAreResolvedBeforeTheMap) {
  const TensorEntry entry = entry_of(8, 1, {.first = 100, .block = 4, .stride = 12});
  const MatrixSlice slice{{4, 8}, {0, 1}, 4};
  // Model rows 4 5 6 7 are file rows 4 6 5 7 of the head, which the map moves to the second block.
  EXPECT_EQ(file_row(entry, slice, 0), 112);
  EXPECT_EQ(file_row(entry, slice, 1), 114);
  EXPECT_EQ(file_row(entry, slice, 2), 113);
  EXPECT_EQ(rows_together(entry, slice, 0), 1);
}

TEST(ValuesOf, MatricesAreMappedByRowsAndVectorsByElements) {
  const std::vector<float> all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(values_of(entry_of(2, 2, {.first = 1, .block = 1, .stride = 2}), all),
            (std::vector<float>{2, 3, 6, 7}));
  TensorEntry vector = entry_of(1, 2, {.first = 5});
  vector.add = 1;
  EXPECT_EQ(values_of(vector, all), (std::vector<float>{6, 7}));
}

TEST(ValuesOf, AnElementBehindTheLastIsAnError) {
  EXPECT_THROW(values_of(entry_of(1, 2, {.first = 1}), {0, 1}), Error);
}

}  // namespace
}  // namespace colonnade
