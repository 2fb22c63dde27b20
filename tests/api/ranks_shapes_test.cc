// The law of bits over ranks for shapes that nothing divides: head counts, and vocabularies whose
// last token is looked up, predicted and drawn.
#include <string>
#include <vector>

#include "tests/support/gguf_builder.h"
#include "tests/support/session_answer.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/api/plan.h"
#include "colonnade/base/error.h"

namespace colonnade::test {
namespace {

using testing::HasSubstr;

SessionOptions options_of(const std::string& path, int ranks) {
  SessionOptions options;
  options.model = path;
  options.ranks = ranks;
  options.threads = 1;
  options.chunk = 16;
  return options;
}

GenerationRequest request_of(std::vector<int32_t> prompt, int64_t answer) {
  GenerationRequest request;
  request.prompt = std::move(prompt);
  request.sampling.temperature = 0;
  request.sampling.seed = 7;
  request.stop.max_tokens = answer;
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  return request;
}

struct Heads {
  const char* name;
  int heads, kv_heads;
  std::vector<int> ranks;
};

class RanksAndHeads : public testing::TestWithParam<Heads> {};

TEST_P(RanksAndHeads, EveryNumberOfRanksGivesTheBitsOfOne) {  // case F1
  const TemporaryFolder folder;
  TinyShape shape;
  shape.architecture = "qwen2";
  shape.dim = 128;
  shape.ffn_dim = 384;
  shape.heads = GetParam().heads;
  shape.kv_heads = GetParam().kv_heads;
  shape.head_dim = 32;
  shape.vocab = 3700;
  const std::string path = folder.write("tiny.gguf", tiny_model(shape));
  std::vector<int32_t> prompt;
  for (int32_t i = 0; i < 40; ++i) prompt.push_back(i * i * 13 % 3700);
  const GenerationRequest request = request_of(prompt, 3);
  const Answer one = answer_of(options_of(path, 1), request);
  for (const int ranks : GetParam().ranks)
    EXPECT_TRUE(same_bits(answer_of(options_of(path, ranks), request).logits, one.logits))
        << ranks << " ranks";
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RanksAndHeads,
    testing::Values(Heads{"9of3", 9, 3, {4, 6, 8, 9, 11}}, Heads{"14of2", 14, 2, {3, 4, 5, 7, 14}},
                    Heads{"52of52", 52, 52, {3, 8}}, Heads{"4of1", 4, 1, {2, 3, 5}}),
    [](const testing::TestParamInfo<Heads>& info) { return std::string(info.param.name); });

TEST(RanksBeyondTheHeads, TheLastUsefulOneStartsAndOneMoreIsRefusedWithTheReason) {
  const TemporaryFolder folder;
  TinyShape shape;
  shape.dim = 96;
  shape.ffn_dim = 288;  // 9 leaves, and as many heads; 3 blocks of the vocabulary
  const std::string path = folder.write("tiny.gguf", tiny_model(shape));
  const GenerationRequest request = request_of({5, 6, 7}, 2);
  const Answer one = answer_of(options_of(path, 1), request);
  EXPECT_TRUE(same_bits(answer_of(options_of(path, 9), request).logits, one.logits));
  try {
    const Session session(options_of(path, 10));
    ADD_FAILURE() << "10 ranks started";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ranks: expected at most 9"));
  }
}

class RanksAndVocabulary : public testing::TestWithParam<int> {
 protected:
  TemporaryFolder folder_;
  const int32_t vocab_ = GetParam();
  std::string path_;

  void SetUp() override {
    TinyShape shape;
    shape.layers = 1;
    shape.dim = 32;
    shape.ffn_dim = 64;
    shape.heads = 2;
    shape.kv_heads = 1;
    shape.head_dim = 16;
    shape.vocab = vocab_;
    shape.types = {.embedding = 8, .attention = 0, .value = 0, .up = 8, .down = 8};
    path_ = folder_.write("tiny.gguf", tiny_model(shape));
  }
};

TEST_P(RanksAndVocabulary, TheLastTokenIsLookedUpAndPredictedAndNoneBehindItExists) {  // case F2
  const int32_t last = vocab_ - 1;
  GenerationRequest looked_up = request_of({last, 3, last}, 2);
  GenerationRequest predicted = request_of({1, 2}, 2);
  predicted.sampling.logit_bias = {{last, 1000.0F}};
  GenerationRequest drawn = request_of({1, 2}, 48);
  drawn.sampling.temperature = 1e6F;  // nearly uniform: a pad would come up
  std::vector<float> logits;
  std::vector<int32_t> draws;
  for (const int ranks : {1, 2, 3, 4, 7}) {
    Session session(options_of(path_, ranks));
    EXPECT_EQ(session.vocab(), vocab_);
    const Answer one = answer_of(session, looked_up);
    EXPECT_EQ(static_cast<int64_t>(one.logits.size()), 2 * int64_t{vocab_}) << ranks << " ranks";
    EXPECT_EQ(answer_of(session, predicted).tokens, (std::vector<int32_t>{last, last}));
    const std::vector<int32_t> tokens = answer_of(session, drawn).tokens;
    EXPECT_THAT(tokens, testing::Each(testing::AllOf(testing::Ge(0), testing::Le(last))));
    if (ranks == 1) {
      logits = one.logits;
      draws = tokens;
    }
    EXPECT_TRUE(same_bits(one.logits, logits)) << ranks << " ranks";
    EXPECT_EQ(tokens, draws) << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RanksAndVocabulary, testing::Values(32001, 32008, 49159, 65535));

}  // namespace
}  // namespace colonnade::test
