#include "colonnade/api/replay.h"

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

class ReplayTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
  const std::string path_ = folder_.write("tiny.gguf", tiny_model({}));

  SessionOptions options(int ranks) const {
    SessionOptions o;
    o.model = path_;
    o.ranks = ranks;
    o.threads = 1;
    o.precision = Tier::int8;
    return o;
  }
  /// Of an answer of six tokens that one rank gave.
  Receipt receipt() const {
    Session session(options(1));
    Receipt receipt;
    receipt.architecture = "llama";
    receipt.files = digest_files(GgufFile(path_).files(), {});
    receipt.prompt = {1, 2, 3, 4, 5, 6, 7};
    receipt.sampling.seed = 7;
    receipt.choice = 1;
    receipt.steps.resize(6);
    const GenerationRequest request = receipt.request();
    receipt.steps.clear();
    session.generator().generate(request, [&](const TokenEvent& event) {
      receipt.steps.push_back({event.id, logits_digest(event.logits)});
      return true;
    });
    return receipt;
  }
  Replay replayed(int ranks, const Receipt& receipt) const {
    Session session(options(ranks));
    return replay(session, receipt, {});
  }
};

TEST_F(ReplayTest, AnyNumberOfRanksGivesTheBitsOfAReceipt) {
  const Receipt made = receipt();
  for (const int ranks : {1, 2, 3}) {
    const Replay result = replayed(ranks, made);
    EXPECT_EQ(result.steps, 6) << ranks;
    EXPECT_FALSE(result.difference) << ranks;
  }
}

TEST_F(ReplayTest, TheFirstStepThatDiffersIsNamed) {
  Receipt other = receipt();
  other.steps[4].token += 1;
  Replay result = replayed(1, other);
  ASSERT_TRUE(result.difference);
  EXPECT_EQ(result.steps, 4);
  EXPECT_EQ(result.difference->step, 4);
  EXPECT_EQ(result.difference->in, ReplayDifference::In::token);
  EXPECT_EQ(result.difference->expected, concat(other.steps[4].token));

  other.steps[2].logits_sha256 = other.steps[1].logits_sha256;
  result = replayed(1, other);
  ASSERT_TRUE(result.difference);
  EXPECT_EQ(result.difference->step, 2);
  EXPECT_EQ(result.difference->in, ReplayDifference::In::logits);
  EXPECT_EQ(result.difference->expected, other.steps[1].logits_sha256);
}

TEST_F(ReplayTest, AnotherRequestGivesAnotherAnswer) {
  const Receipt made = receipt();
  Receipt other = made;
  other.sampling.seed = 8;
  ASSERT_TRUE(replayed(1, other).difference);
  EXPECT_EQ(replayed(1, other).difference->in, ReplayDifference::In::token);
  other = made;
  other.choice = 2;
  EXPECT_TRUE(replayed(1, other).difference);
  other = made;
  other.prompt[3] = 9;
  ASSERT_TRUE(replayed(1, other).difference);
  EXPECT_EQ(replayed(1, other).difference->in, ReplayDifference::In::logits);
}

TEST_F(ReplayTest, OtherWeightsAreNamedByDigest) {
  const Receipt made = receipt();
  EXPECT_FALSE(weights_mismatch(made, GgufFile(path_).files(), {}));
  TinyShape shape;
  shape.seed = 2;
  const GgufFile other(folder_.write("other.gguf", tiny_model(shape)));
  const std::optional<Mismatch> mismatch = weights_mismatch(made, other.files(), {});
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->what, "weights");
  EXPECT_THAT(mismatch->expected, HasSubstr(made.files[0].sha256));
  EXPECT_THAT(mismatch->got, HasSubstr("other.gguf"));
  EXPECT_THAT(mismatch->got, HasSubstr(digest_files(other.files(), {})[0].sha256));
}

TEST_F(ReplayTest, FilesOfAnotherSizeOrNumberAreNotEvenRead) {
  Receipt made = receipt();
  const auto unread = [](int64_t, int64_t) { FAIL() << "the file was read"; };
  made.files[0].bytes += 1;
  ASSERT_TRUE(weights_mismatch(made, GgufFile(path_).files(), unread));
  made.files.push_back(made.files[0]);
  EXPECT_THAT(weights_mismatch(made, GgufFile(path_).files(), unread)->expected,
              HasSubstr("2 files"));
}

TEST_F(ReplayTest, AnotherVersionOfTheArithmeticIsNamed) {
  Receipt made = receipt();
  EXPECT_FALSE(numerics_mismatch(made));
  made.numerics = kNumericsVersion + 1;
  made.ran_on.version = "9.1.0";
  const std::optional<Mismatch> mismatch = numerics_mismatch(made);
  ASSERT_TRUE(mismatch);
  EXPECT_EQ(mismatch->expected, concat("version ", kNumericsVersion + 1));
  EXPECT_THAT(mismatch->advice, HasSubstr("9.1.0"));
}

TEST_F(ReplayTest, WhatTheModelDoesNotHaveIsNamed) {
  const ModelDescription model = describe_model(path_);
  const auto refusal = [&](const Receipt& receipt) -> std::string {
    try {
      check_fits(receipt, "r.json", model);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const Receipt made = receipt();
  EXPECT_EQ(refusal(made), "");
  Receipt other = made;
  other.prompt.resize(1'000'000);
  EXPECT_THAT(refusal(other), HasSubstr("prompt_ids and steps: expected at most 512 positions"));
  other = made;
  other.prompt[2] = 600;
  EXPECT_THAT(refusal(other), HasSubstr("prompt_ids[2]: expected token ids from 0 to 599"));
  other = made;
  other.steps[1].token = 600;
  EXPECT_THAT(refusal(other), HasSubstr("steps[1].token: expected token ids from 0 to 599"));
  other = made;
  other.sampling.logit_bias = {{600, 1.0F}};
  EXPECT_THAT(refusal(other), HasSubstr("r.json: sampling.logit_bias: expected token ids"));
}

}  // namespace
}  // namespace colonnade::test
