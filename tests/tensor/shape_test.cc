#include "colonnade/tensor/shape.h"

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

TEST(Shape, CountsRowsColumnsAndElements) {
  const Shape shape{2, 3, 5};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.rows(), 6);
  EXPECT_EQ(shape.cols(), 5);
  EXPECT_EQ(shape.elements(), 30);
  EXPECT_EQ(shape[1], 3);
}

TEST(Shape, WithoutDimensionsIsOneElement) {
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ(Shape{}.rows(), 1);
  EXPECT_EQ(Shape{}.cols(), 1);
}

TEST(Shape, MayBeEmpty) {
  EXPECT_EQ((Shape{0, 7}).elements(), 0);
  EXPECT_EQ((Shape{0, 7}).cols(), 7);
}

TEST(Shape, EqualsOnlyTheSameDimensions) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
  EXPECT_NE((Shape{6}), (Shape{6, 1}));
}

TEST(Shape, RefusesSizesThatOverflow) {
  const int64_t big = int64_t{1} << 40;
  EXPECT_THROW(Shape({big, big}), Error);
  EXPECT_THROW(Shape({-1}), Error);
  EXPECT_THROW(Shape({1, 1, 1, 1, 1}), Error);
}

TEST(Shape, IsWrittenAsAList) {
  EXPECT_EQ(to_string(Shape{5, 64}), "[5, 64]");
  EXPECT_EQ(to_string(Shape{}), "[]");
}

}  // namespace
}  // namespace colonnade
