#include "colonnade/models/rope.h"

#include <cmath>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

DecoderConfig rotary(int dim, double theta) {
  DecoderConfig c;
  c.rotary_dim = dim;
  c.rope_theta = theta;
  return c;
}

void expect_close(double actual, double expected) {
  EXPECT_NEAR(actual / expected, 1.0, 1e-6) << expected;
}

TEST(RopeFrequencies, PlainOnesArePowersOfTheBase) {
  const RopeFrequencies f = rope_frequencies(rotary(64, 10000));
  ASSERT_EQ(f.inverse.size(), 32U);
  EXPECT_EQ(f.inverse[0], 1.0F);
  expect_close(f.inverse[16], 1e-2);
  expect_close(f.inverse[31], std::pow(10000.0, -62.0 / 64));
  EXPECT_EQ(f.attention_factor, 1.0F);
}

TEST(RopeFrequencies, LinearScalingDividesAll) {
  DecoderConfig c = rotary(64, 10000);
  const std::vector<float> plain = rope_frequencies(c).inverse;
  c.rope_scaling = {.kind = RopeScaling::Kind::linear, .factor = 4};
  const std::vector<float> scaled = rope_frequencies(c).inverse;
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(scaled[i], plain[i] / 4);
}

TEST(RopeFrequencies, FactorsOfTheFileDivideEachItsOwn) {
  DecoderConfig c = rotary(4, 10000);
  c.rope_factors = {1, 8};
  const std::vector<float> f = rope_frequencies(c).inverse;
  EXPECT_EQ(f[0], 1.0F);
  expect_close(f[1], 0.01 / 8);
}

TEST(RopeFrequencies, Llama3BandsAreThePublishedOnes) {
  DecoderConfig c = rotary(64, 5e5);
  c.rope_factors = llama3_factors(c, {.factor = 32,
                                      .original_context = 8192,
                                      .low_frequency_factor = 1,
                                      .high_frequency_factor = 4});
  const std::vector<float> f = rope_frequencies(c).inverse;
  expect_close(f[0], 1);
  expect_close(f[8], 3.760603e-2);
  expect_close(f[15], 1.290548e-3);
  expect_close(f[16], 4.295568e-4);
  expect_close(f[18], 1.946164e-5);
  expect_close(f[31], 9.418307e-8);
}

TEST(RopeFrequencies, YarnBlendsAndRaisesTheAttentionFactor) {
  DecoderConfig c = rotary(128, 1e6);
  c.rope_scaling = {.kind = RopeScaling::Kind::yarn, .factor = 4, .original_context = 32768};
  const RopeFrequencies f = rope_frequencies(c);
  expect_close(f.inverse[20], 1.333521e-2);
  expect_close(f.inverse[30], 1.064361e-3);
  expect_close(f.inverse[40], 4.445699e-5);
  expect_close(f.inverse[63], 3.102344e-7);
  expect_close(f.attention_factor, 1.138629);
}

}  // namespace
}  // namespace colonnade
