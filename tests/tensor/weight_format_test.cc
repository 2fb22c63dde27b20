#include "colonnade/tensor/weight_format.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "colonnade/tensor/grouped_format.h"

namespace colonnade {
namespace {

TEST(WeightFormat, AffineFormatsAreToldApartAndNamed) {
  std::set<std::string> names;
  for (const int bits : kAffineBits) {
    for (const int group : kAffineGroups) {
      for (const ScaleType scales : kAffineScales) {
        const auto format = affine_format({bits, group, scales});
        ASSERT_TRUE(format.has_value());
        const AffineFormat back = affine_of(*format);
        EXPECT_EQ(back.bits, bits);
        EXPECT_EQ(back.group, group);
        EXPECT_EQ(back.scales, scales);
        EXPECT_TRUE(is_grouped(*format) && is_affine(*format));
        names.insert(name_of(*format));
      }
    }
  }
  EXPECT_EQ(names.size(), 54U);
  EXPECT_EQ(names.count("affine4_g64_bf16"), 1U);
  EXPECT_EQ(names.count("affine8_g128_f32"), 1U);
}

TEST(WeightFormat, ThereIsNoAffineFormatOfOtherSizes) {
  EXPECT_FALSE(affine_format({7, 64, ScaleType::f16}).has_value());
  EXPECT_FALSE(affine_format({4, 16, ScaleType::f16}).has_value());
  EXPECT_FALSE(affine_format({4, 64, ScaleType::e8m0}).has_value());
}

TEST(WeightFormat, NamesAreThoseOfTheFiles) {
  EXPECT_STREQ(name_of(WeightFormat::bf16), "bf16");
  EXPECT_STREQ(name_of(WeightFormat::mxfp4), "mxfp4");
  EXPECT_STREQ(name_of(WeightFormat::q8_k), "q8_k");
  EXPECT_STREQ(name_of(WeightFormat::nvfp4), "nvfp4");
  EXPECT_STREQ(name_of(WeightFormat::mxfp8), "mxfp8");
}

TEST(WeightFormat, NumbersOfFloatingPointHaveNoIntegers) {
  EXPECT_TRUE(has_integers(WeightFormat::nvfp4));
  EXPECT_TRUE(has_integers(WeightFormat::q8_0));
  EXPECT_FALSE(has_integers(WeightFormat::mxfp8));
  EXPECT_FALSE(has_integers(WeightFormat::bf16));
}

TEST(GroupedFormat, SuperBlocksShareAScaleThatStandsOnce) {
  EXPECT_EQ(super_block(WeightFormat::q4_0), 0);
  EXPECT_EQ(super_block(WeightFormat::mxfp4), 0);
  EXPECT_EQ(super_block(WeightFormat::q2_k), 256);
  EXPECT_EQ(super_block(WeightFormat::q8_k), 256);
  EXPECT_EQ(super_block(*affine_format({4, 128, ScaleType::f16})), 128);
  EXPECT_EQ(super_block(*affine_format({4, 32, ScaleType::f16})), 32);
  EXPECT_EQ(super_block(WeightFormat::f32), 0);
}

}  // namespace
}  // namespace colonnade
