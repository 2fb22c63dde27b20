#include "colonnade/api/verify.h"

#include <cmath>
#include <limits>
#include <string>

#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/io/gguf.h"

namespace colonnade::test {
namespace {

using testing::HasSubstr;
using In = RunDifference::In;

const std::vector<StepRecord> kSteps = {
    {1, {0.5F, 2.0F, -1.0F}}, {2, {0.0F, 1.0F, 3.0F}}, {0, {9.0F, 1.0F, 3.0F}}};

TEST(FirstDifference, EqualRunsHaveNone) {
  EXPECT_FALSE(first_difference(kSteps, kSteps));
  EXPECT_FALSE(first_difference(std::span<const StepRecord>(), std::span<const StepRecord>()));
}

TEST(FirstDifference, OneBitOfOneLogitIsNamedWithBothValues) {
  std::vector<StepRecord> run = kSteps;
  run[1].logits[2] = std::nextafter(3.0F, 4.0F);
  run[2].logits = {7.0F, 8.0F, 9.0F};
  const std::optional<RunDifference> difference = first_difference(run, kSteps);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->in, In::logits);
  EXPECT_EQ(difference->step, 1);
  EXPECT_EQ(difference->id, 2);
  EXPECT_EQ(difference->values[0], std::nextafter(3.0F, 4.0F));
  EXPECT_EQ(difference->values[1], 3.0F);
  EXPECT_EQ(difference->differing, 1);
}

TEST(FirstDifference, BitsDecideAndNotValues) {
  std::vector<StepRecord> run = kSteps;
  run[1].logits[0] = -0.0F;
  EXPECT_EQ(first_difference(run, kSteps)->id, 0);
  run[1].logits[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(first_difference(run, run));
  EXPECT_EQ(first_difference(run, kSteps)->step, 1);
}

TEST(FirstDifference, AnotherChoiceFromEqualLogitsIsOne) {
  std::vector<StepRecord> run = kSteps;
  run[0].token = 2;
  run[1].logits[0] = 5.0F;
  const std::optional<RunDifference> difference = first_difference(run, kSteps);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->in, In::choice);
  EXPECT_EQ(difference->step, 0);
  EXPECT_EQ(difference->chosen, (std::array<int32_t, 2>{2, 1}));
}

TEST(FirstDifference, ARunThatEndsEarlyIsOne) {
  const std::span<const StepRecord> shorter = std::span(kSteps).first(2);
  for (const auto& [run, reference] :
       {std::pair(shorter, std::span(kSteps)), std::pair(std::span(kSteps), shorter)}) {
    const std::optional<RunDifference> difference = first_difference(run, reference);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->in, In::length);
    EXPECT_EQ(difference->step, 2);
  }
}

TEST(FirstDifference, VocabulariesOfTwoSizesCannotBeCompared) {
  std::vector<StepRecord> run = kSteps;
  run[1].logits.push_back(1.0F);
  EXPECT_THROW(first_difference(run, kSteps), Error);
}

TEST(FirstDifference, ActivationsAreComparedInTheOrderOfComputation) {
  const std::vector<ActivationRecord> reference = {
      {"embedding", 0, 4, "a"}, {"blk.0.attention", 0, 4, "b"}, {"blk.0.out", 0, 4, "c"}};
  EXPECT_FALSE(first_difference(reference, reference));
  std::vector<ActivationRecord> run = reference;
  run[1].sha256 = "x";
  run[2].sha256 = "y";
  EXPECT_EQ(first_difference(run, reference)->name, "blk.0.attention");
  run = reference;
  run.pop_back();
  EXPECT_EQ(first_difference(run, reference)->name, "blk.0.out");
  EXPECT_EQ(first_difference(reference, run)->name, "blk.0.out");
}

/// Two sessions over the same model, or not quite.
class VerifyTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string model_ = tiny_model({});
  const std::string path_ = folder_.write("tiny.gguf", model_);

  SessionOptions options(int ranks) const {
    SessionOptions o;
    o.model = path_;
    o.ranks = ranks;
    o.threads = 1;
    o.chunk = 128;
    o.precision = Tier::int8;
    return o;
  }
  static std::vector<PromptVerdict> verdicts(const SessionOptions& run,
                                             const SessionOptions& reference) {
    VerifyRequest request;
    request.open = [&] { return std::make_unique<Session>(run); };
    request.open_reference = [&] { return std::make_unique<Session>(reference); };
    request.prompts = builtin_prompts(load_tokenizer(run.model), 400);
    request.steps = 3;
    return verify(request);
  }
  /// The model with one byte of one tensor changed.
  std::string path_with_error_in(const std::string& tensor) const {
    const GgufFile file(path_);
    std::string bytes = model_;
    const GgufTensor* found = file.find(tensor);
    bytes[static_cast<size_t>(found->offset + found->size_bytes - 1)] ^= 0x11;
    return folder_.write("changed.gguf", bytes);
  }
};

TEST_F(VerifyTest, RanksThatKeepTheLawPass) {
  for (const int ranks : {1, 2, 3}) {
    const std::vector<PromptVerdict> all = verdicts(options(ranks), options(1));
    ASSERT_EQ(all.size(), 3U);
    for (const PromptVerdict& verdict : all) {
      EXPECT_FALSE(verdict.difference) << ranks << " ranks, " << verdict.prompt;
      EXPECT_EQ(verdict.steps, 3);
    }
    EXPECT_EQ(all[2].prompt_tokens, 300);
  }
}

TEST_F(VerifyTest, AWeightThatIsWrongOnOneSideIsFoundWhereItIsUsed) {
  for (const auto& [tensor, activation] : {std::pair("blk.1.attn_output.weight", "blk.1.attention"),
                                           std::pair("blk.0.ffn_down.weight", "blk.0.out"),
                                           std::pair("blk.1.attn_q.weight", "blk.1.attention")}) {
    SessionOptions changed = options(2);
    changed.model = path_with_error_in(tensor);
    const std::vector<PromptVerdict> all = verdicts(changed, options(1));
    ASSERT_EQ(all.size(), 3U);
    const PromptVerdict& verdict = all[2];
    ASSERT_TRUE(verdict.difference) << tensor;
    EXPECT_EQ(verdict.difference->in, In::logits);
    EXPECT_EQ(verdict.difference->step, 0);
    EXPECT_GT(verdict.difference->differing, 0);
    ASSERT_TRUE(verdict.activation) << tensor;
    EXPECT_EQ(verdict.activation->name, activation);
    EXPECT_EQ(verdict.activation->first_position, 0);
    EXPECT_TRUE(verdict.repeated);
  }
}

TEST_F(VerifyTest, AWeightOfTheHeadShowsInLogitsAndInNoActivation) {
  SessionOptions changed = options(2);
  changed.model = path_with_error_in("output_norm.weight");
  const PromptVerdict verdict = verdicts(changed, options(1)).front();
  ASSERT_TRUE(verdict.difference);
  EXPECT_FALSE(verdict.activation);
  EXPECT_TRUE(verdict.repeated);
}

TEST_F(VerifyTest, AnotherPrecisionIsSeenInTheFirstProduct) {
  SessionOptions other = options(2);
  other.precision = Tier::int15;
  other.cache = DType::bf16;
  const PromptVerdict verdict = verdicts(other, options(1)).back();
  ASSERT_TRUE(verdict.activation);
  EXPECT_EQ(verdict.activation->name, "blk.0.attention");
}

TEST_F(VerifyTest, ADifferenceThatDoesNotComeAgainIsSaidToBeOne) {
  int opened = 0;
  const SessionOptions right = options(2);
  SessionOptions wrong = options(2);
  wrong.model = path_with_error_in("blk.0.ffn_down.weight");
  const SessionOptions one = options(1);
  VerifyRequest request;
  request.open = [&] { return std::make_unique<Session>(opened++ == 0 ? wrong : right); };
  request.open_reference = [&] { return std::make_unique<Session>(one); };
  request.prompts = builtin_prompts(load_tokenizer(path_), 400);
  request.steps = 2;
  const PromptVerdict verdict = verify(request).back();
  EXPECT_TRUE(verdict.difference);
  EXPECT_FALSE(verdict.activation);
  EXPECT_FALSE(verdict.repeated);
}

TEST_F(VerifyTest, MoreLogitsThanMemoryShallHoldAreRefused) {
  const SessionOptions one = options(1);
  VerifyRequest request;
  request.open = request.open_reference = [&] { return std::make_unique<Session>(one); };
  request.prompts = builtin_prompts(load_tokenizer(path_), 400);
  request.steps = 1 << 20;
  try {
    verify(request);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("steps: expected 1 to "));
  }
}

TEST_F(VerifyTest, BuiltInPromptsFitTheContext) {
  const text::Tokenizer tokenizer = load_tokenizer(path_);
  const auto lengths = [&](int64_t longest) {
    std::vector<size_t> sizes;
    for (const VerifyPrompt& prompt : builtin_prompts(tokenizer, longest))
      sizes.push_back(prompt.tokens.size());
    return sizes;
  };
  EXPECT_EQ(lengths(4096), (std::vector<size_t>{1, 65, 300}));
  EXPECT_EQ(lengths(100), (std::vector<size_t>{1, 65, 100}));
  EXPECT_EQ(lengths(65), (std::vector<size_t>{1, 65}));
  EXPECT_EQ(lengths(1), (std::vector<size_t>{1}));
  EXPECT_THROW(lengths(0), Error);
}

}  // namespace
}  // namespace colonnade::test
