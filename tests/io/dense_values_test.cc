#include "colonnade/io/dense_values.h"

#include <vector>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(DenseValues, EveryDenseFormatBecomesF32Exactly) {
  const std::vector<float> floats = {1.5F, -0.0F, 3e38F};
  EXPECT_EQ(dense_values(WeightFormat::f32, std::as_bytes(std::span(floats))), floats);
  const std::vector<uint16_t> halves = {0x3e00, 0xc000, 0x0001};
  EXPECT_EQ(dense_values(WeightFormat::f16, std::as_bytes(std::span(halves))),
            (std::vector<float>{1.5F, -2.0F, 0x1p-24F}));
  const std::vector<uint16_t> brains = {0x3fc0, 0xc000, 0x7f00};
  EXPECT_EQ(dense_values(WeightFormat::bf16, std::as_bytes(std::span(brains))),
            (std::vector<float>{1.5F, -2.0F, 0x1p127F}));
  EXPECT_TRUE(dense_values(WeightFormat::f16, {}).empty());
}

}  // namespace
}  // namespace colonnade
