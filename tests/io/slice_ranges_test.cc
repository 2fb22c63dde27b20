#include "colonnade/io/slice_ranges.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colonnade {
namespace {

using ::testing::ElementsAre;
using Stretch = std::pair<Range, Range>;

std::vector<Stretch> stretches(const TensorEntry& entry, const MatrixSlice& slice, Range rows) {
  std::vector<Stretch> found;
  for_each_stretch(entry, slice, rows,
                   [&](Range at, Range file_rows) { found.emplace_back(at, file_rows); });
  return found;
}

TEST(SliceRanges, RowsThatStandTogetherAreOneStretch) {
  TensorEntry entry;
  entry.rows = 12;
  EXPECT_THAT(stretches(entry, {{4, 10}, {0, 1}}, {1, 5}), ElementsAre(Stretch({1, 5}, {5, 9})));
  EXPECT_TRUE(stretches(entry, {{4, 10}, {0, 1}}, {3, 3}).empty());
  entry.map = {.first = 100, .block = 4, .stride = 10};
  EXPECT_THAT(stretches(entry, {{2, 12}, {0, 1}}, {0, 9}),
              ElementsAre(Stretch({0, 2}, {102, 104}), Stretch({2, 6}, {110, 114}),
                          Stretch({6, 9}, {120, 123})));
  entry.map = {};
  EXPECT_THAT(
      stretches(entry, {{0, 4}, {0, 1}, 4}, {0, 3}),
      ElementsAre(Stretch({0, 1}, {0, 1}), Stretch({1, 2}, {2, 3}), Stretch({2, 3}, {1, 2})));
}

TEST(SliceRanges, WholeRowsAreReadAtOnceAndPartsOneByOne) {
  const std::string file = "abcdefghijkl";  // rows of 4
  std::vector<std::pair<int64_t, size_t>> calls;
  const auto read = [&](int64_t begin, std::span<std::byte> bytes) {
    calls.emplace_back(begin, bytes.size());
    std::memcpy(bytes.data(), file.data() + begin, bytes.size());
  };
  std::string out(8, '.');
  read_row_parts(4, {1, 3}, {0, 4}, reinterpret_cast<std::byte*>(out.data()), read);
  EXPECT_EQ(out, "efghijkl");
  EXPECT_THAT(calls, ElementsAre(std::pair(int64_t{4}, size_t{8})));
  out.assign(6, '.');
  read_row_parts(4, {0, 3}, {1, 3}, reinterpret_cast<std::byte*>(out.data()), read);
  EXPECT_EQ(out, "bcfgjk");
  EXPECT_EQ(calls.size(), 4U);
  read_row_parts(4, {0, 3}, {2, 2}, nullptr, read);
  read_row_parts(4, {1, 1}, {0, 4}, nullptr, read);
  EXPECT_EQ(calls.size(), 4U);
}

}  // namespace
}  // namespace colonnade
