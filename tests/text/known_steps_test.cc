#include "colonnade/text/known_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/text/split_pattern.h"

namespace colonnade::text {
namespace {

constexpr const char* kNames[] = {"gpt-2",  "phi-2",     "smollm", "starcoder",
                                  "refact", "llama-bpe", "qwen2",  "deepseek-r1-qwen",
                                  "gpt-4o", "tekken",    "bloom"};

TEST(KnownSteps, TheExpressionsOfAllCanBeRead) {
  for (const char* name : kNames) {
    for (const SplitStep& step : known_steps(name).steps.splits)
      EXPECT_NO_THROW(SplitPattern(step.regex)) << name;
  }
}

TEST(KnownSteps, OnlySomeModelsNormalizeTakeWholeWordsOrBeginWithBos) {
  for (const char* name : kNames) {
    const std::string n = name;
    const KnownSteps known = known_steps(name);
    EXPECT_EQ(known.steps.normalizer.size(), n == "qwen2" || n == "deepseek-r1-qwen") << name;
    EXPECT_EQ(known.whole_words, n == "llama-bpe" || n == "tekken") << name;
    EXPECT_EQ(known.add_bos, n == "llama-bpe" || n == "tekken") << name;
  }
}

TEST(KnownSteps, AnUnknownNameIsRefusedWithTheKnownOnes) {
  try {
    known_steps("gpt-9");
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("'gpt-9'"));
    for (const char* known : kNames) EXPECT_THAT(e.what(), testing::HasSubstr(known));
  }
}

}  // namespace
}  // namespace colonnade::text
