#include "colonnade/io/mlx_quantization.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

MlxQuantization read(const std::string& fields) {
  return MlxQuantization(HfConfig("{" + fields + "}", "config.json"));
}

std::string error(const std::string& fields) {
  try {
    read("\"quantization\": {" + fields + "}");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MlxQuantization, HoldsForAllLayersButThoseThatHaveTheirOwn) {
  const MlxQuantization quantization = read(R"("quantization": {"group_size": 32, "bits": 6,
      "a.down": {"group_size": 128, "bits": 8}, "a.gate": false, "a.up": true,
      "a.o": {"bits": 4, "group_size": 32, "mode": "mxfp4"},
      "a.k": {"bits": 8, "group_size": 32, "mode": "mxfp8"},
      "a.v": {"bits": 4, "group_size": 16, "mode": "nvfp4"}})");
  ASSERT_TRUE(quantization.of("a.q").has_value());
  EXPECT_EQ(quantization.of("a.q")->bits, 6);
  EXPECT_EQ(quantization.of("a.q")->group, 32);
  EXPECT_EQ(quantization.of("a.q")->mode, MlxMode::affine);
  EXPECT_EQ(quantization.of("a.down")->bits, 8);
  EXPECT_EQ(quantization.of("a.down")->group, 128);
  EXPECT_FALSE(quantization.of("a.gate").has_value());
  EXPECT_EQ(quantization.of("a.up")->bits, 6);
  EXPECT_EQ(quantization.of("a.o")->mode, MlxMode::mxfp4);
  EXPECT_EQ(quantization.of("a.k")->mode, MlxMode::mxfp8);
  EXPECT_EQ(quantization.of("a.v")->mode, MlxMode::nvfp4);
}

TEST(MlxQuantization, MayStandInTheOtherField) {
  EXPECT_EQ(read(R"("quantization_config": {"group_size": 64, "bits": 8})").of("x")->bits, 8);
  EXPECT_FALSE(
      read(R"("quantization_config": {"quant_method": "mxfp4", "bits": 4})").of("x").has_value());
  EXPECT_FALSE(read("").of("x").has_value());
  EXPECT_FALSE(read(R"("quantization": null)").of("x").has_value());
}

TEST(MlxQuantization, WhatIsAbsentIsTheModesDefault) {
  EXPECT_EQ(read(R"("quantization": {"bits": 3})").of("x")->group, 64);
  EXPECT_EQ(read(R"("quantization": {"group_size": 128})").of("x")->bits, 4);
  EXPECT_EQ(read(R"("quantization": {"bits": 4, "mode": "mxfp4"})").of("x")->group, 32);
  const auto nvfp4 = read(R"("quantization": {"mode": "nvfp4"})").of("x");
  ASSERT_TRUE(nvfp4.has_value());
  EXPECT_EQ(nvfp4->mode, MlxMode::nvfp4);
  EXPECT_EQ(nvfp4->bits, 4);
  EXPECT_EQ(nvfp4->group, 16);
  const auto mxfp8 = read(R"("quantization": {"mode": "mxfp8"})").of("x");
  ASSERT_TRUE(mxfp8.has_value());
  EXPECT_EQ(mxfp8->mode, MlxMode::mxfp8);
  EXPECT_EQ(mxfp8->bits, 8);
  EXPECT_EQ(mxfp8->group, 32);
}

TEST(MlxQuantization, WhatMlxDoesNotHaveIsNamed) {
  const std::string at = "config.json: quantization.";
  EXPECT_EQ(error(R"("bits": 7)"), at + "bits: expected one of 2, 3, 4, 5, 6, 8, got 7");
  EXPECT_EQ(error(R"("bits": "4")"), at + "bits: expected an integer of 64 bits, got '4'");
  EXPECT_EQ(error(R"("bits": 4, "group_size": 16)"),
            at + "group_size: expected one of 32, 64, 128, got 16");
  EXPECT_EQ(error(R"("bits": 4, "mode": "int4")"),
            at + "mode: expected affine, mxfp4, mxfp8 or nvfp4, got 'int4'");
  EXPECT_EQ(error(R"("bits": 4, "mode": "mxfp8")"), at + "bits: expected 8, got 4");
  EXPECT_EQ(error(R"("group_size": 32, "mode": "nvfp4")"), at + "group_size: expected 16, got 32");
  EXPECT_EQ(error(R"("bits": 8, "mode": "mxfp4")"), at + "bits: expected 4, got 8");
  EXPECT_EQ(error(R"("bits": 4, "group_size": 64, "mode": "mxfp4")"),
            at + "group_size: expected 32, got 64");
  EXPECT_EQ(error(R"("bits": 4, "a.b": 3)"),
            at + "a.b: expected an object with bits and group_size, true or false, got 3");
  EXPECT_EQ(error(R"("bits": 4, "a": {"bits": 9})"),
            at + "a.bits: expected one of 2, 3, 4, 5, 6, 8, got 9");
}

}  // namespace
}  // namespace colonnade
