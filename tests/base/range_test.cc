#include "colonnade/base/range.h"

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(Range, IsHalfOpen) {
  constexpr Range range{3, 5};
  static_assert(range.size() == 2 && !range.empty());
  EXPECT_FALSE(range.contains(2));
  EXPECT_TRUE(range.contains(3));
  EXPECT_TRUE(range.contains(4));
  EXPECT_FALSE(range.contains(5));
  EXPECT_TRUE((Range{4, 4}.empty()));
  EXPECT_EQ((Range{3, 5}), range);
}

}  // namespace
}  // namespace colonnade
