#include "colonnade/engine/sampling_options.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int64_t kVocabulary = 1000;

std::string complaint(const SamplingOptions& options) {
  try {
    validate(options, kVocabulary);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <typename T>
std::string complaint_about(T SamplingOptions::*field, T value) {
  SamplingOptions options;
  options.*field = value;
  return complaint(options);
}

TEST(SamplingOptions, DefaultsAreLegal) { EXPECT_EQ(complaint({}), ""); }

TEST(SamplingOptions, TheEndsOfEveryRangeAreLegal) {
  for (const float value : {0.0F, -0.0F, 1e-8F, 1e-45F, 1.0F, 1e6F, 3e38F}) {
    EXPECT_EQ(complaint_about(&SamplingOptions::temperature, value), "") << value;
  }
  for (const int32_t value : {-1, 0, 1, 9'999'999}) {
    EXPECT_EQ(complaint_about(&SamplingOptions::top_k, value), "") << value;
    EXPECT_EQ(complaint_about(&SamplingOptions::repeat_last_n, value), "") << value;
  }
  for (const float value : {0.0F, 0.5F, 1.0F}) {
    EXPECT_EQ(complaint_about(&SamplingOptions::top_p, value), "") << value;
    EXPECT_EQ(complaint_about(&SamplingOptions::min_p, value), "") << value;
  }
  for (const float value : {1e-3F, 1.0F, 100.0F}) {
    EXPECT_EQ(complaint_about(&SamplingOptions::repetition_penalty, value), "") << value;
  }
  for (const float value : {-2.0F, 0.0F, 2.0F}) {
    EXPECT_EQ(complaint_about(&SamplingOptions::presence_penalty, value), "") << value;
    EXPECT_EQ(complaint_about(&SamplingOptions::frequency_penalty, value), "") << value;
  }
}

TEST(SamplingOptions, WhatIsOutsideIsRefusedByTheNameOfItsField) {
  struct Case {
    const char* name;
    float SamplingOptions::*field;
    std::vector<float> values;
  };
  const Case cases[] = {
      {"temperature", &SamplingOptions::temperature, {-1.0F, kNaN, kInfinity, -kInfinity}},
      {"top_p", &SamplingOptions::top_p, {-1.0F, 2.0F, 1.0001F, kNaN, kInfinity}},
      {"min_p", &SamplingOptions::min_p, {-0.1F, 2.0F, kNaN}},
      {"repetition_penalty", &SamplingOptions::repetition_penalty, {0.0F, -1.0F, kNaN, kInfinity}},
      {"presence_penalty", &SamplingOptions::presence_penalty, {kNaN, kInfinity}},
      {"frequency_penalty", &SamplingOptions::frequency_penalty, {kNaN, -kInfinity}},
  };
  for (const Case& c : cases) {
    for (const float value : c.values) {
      const std::string message = complaint_about(c.field, value);
      EXPECT_TRUE(message.starts_with(std::string(c.name) + ": expected ")) << message;
    }
  }
  EXPECT_EQ(complaint_about(&SamplingOptions::temperature, -1.0F),
            "temperature: expected 0 (greedy) or a finite number above 0, got -1");
  EXPECT_EQ(complaint_about(&SamplingOptions::top_k, -2),
            "top_k: expected a number of tokens, or 0 or -1 (off), got -2");
  EXPECT_EQ(complaint_about(&SamplingOptions::repeat_last_n, -2),
            "repeat_last_n: expected a number of tokens, 0 (none) or -1 (all), got -2");
}

TEST(SamplingOptions, LogitBiasNamesTokensOfTheVocabulary) {
  SamplingOptions options;
  options.logit_bias = {{0, 1.0F}, {999, -kInfinity}, {5, -100.0F}};
  EXPECT_EQ(complaint(options), "");
  options.logit_bias = {{1000, 1.0F}};
  EXPECT_EQ(complaint(options), "logit_bias: expected token ids from 0 to 999, got 1000");
  options.logit_bias = {{-1, 1.0F}};
  EXPECT_NE(complaint(options), "");
  options.logit_bias = {{3, kInfinity}};
  EXPECT_EQ(complaint(options),
            "logit_bias: token 3: expected a finite number or -inf (never), got inf");
  options.logit_bias = {{3, kNaN}};
  EXPECT_NE(complaint(options), "");
}

}  // namespace
}  // namespace colonnade
