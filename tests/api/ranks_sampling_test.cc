// Choosing tokens across ranks: every option gives the tokens and log-probabilities of one rank,
// and no rank is ever told the others' logits.
#include <string>
#include <vector>

#include "tests/support/gguf_builder.h"
#include "tests/support/session_answer.h"
#include "tests/support/tiny_model.h"
#include <gtest/gtest.h>

namespace colonnade::test {
namespace {

constexpr int64_t kAnswer = 24;
constexpr int kLayers = 2;
constexpr int64_t kDim = 64;
constexpr int32_t kVocab = 20001;

struct Way {
  const char* name;
  SamplingOptions options;
  int32_t logprobs = -1;  // -1: none
  bool wide = false;      // needs a large part of the ranking
};

Way make_way(const char* name, void (*set)(SamplingOptions&), int32_t logprobs = -1) {
  Way way{name, {}, logprobs};
  set(way.options);
  return way;
}

/// The logits of a random model are nearly flat: with these few tokens decide.
void add_peaks(SamplingOptions& o) {
  o.logit_bias = {{5, 14.0F}, {kVocab - 1, 14.2F}, {6000, 13.5F}, {12000, 13.0F}};
}

std::vector<Way> ways() {
  std::vector<Way> all = {
      make_way("greedy", [](SamplingOptions& o) { o.temperature = 0; }),
      make_way("temperature", [](SamplingOptions& o) { o.temperature = 1.3F; }),
      make_way("top_k", [](SamplingOptions& o) { o.top_k = 40; }),
      make_way("top_p",
               [](SamplingOptions& o) {
                 o.top_p = 0.5F;
                 add_peaks(o);
               }),
      make_way("min_p",
               [](SamplingOptions& o) {
                 o.min_p = 0.05F;
                 o.temperature = 1.5F;
                 add_peaks(o);
               }),
      make_way("defaults_of_the_command",
               [](SamplingOptions& o) {
                 o.temperature = 0.8F;
                 o.top_k = 40;
                 o.top_p = 0.95F;
                 o.min_p = 0.05F;
               }),
      make_way("penalties",
               [](SamplingOptions& o) {
                 o.repetition_penalty = 1.3F;
                 o.presence_penalty = 0.5F;
                 o.frequency_penalty = 0.25F;
               }),
      make_way("bias", add_peaks),
      make_way(
          "log_probabilities", [](SamplingOptions& o) { o.top_k = 5; }, 7),
      make_way(
          "log_probabilities_of_penalties",
          [](SamplingOptions& o) {
            o.temperature = 0;
            o.repetition_penalty = 2;
          },
          3),
      make_way("wide_top_p", [](SamplingOptions& o) { o.top_p = 0.99F; }),
  };
  all.back().wide = true;
  return all;
}

class RanksSample : public testing::TestWithParam<size_t> {
 protected:
  const Way way_ = ways()[GetParam()];
  TemporaryFolder folder_;
  std::string path_;

  void SetUp() override {
    TinyShape shape;
    shape.layers = kLayers;
    shape.dim = kDim;
    shape.ffn_dim = 128;
    shape.heads = 3;
    shape.kv_heads = 3;
    shape.head_dim = 16;
    shape.vocab = kVocab;
    shape.types = {.embedding = 8, .attention = 0, .value = 0, .up = 8, .down = 8};
    path_ = folder_.write("tiny.gguf", tiny_model(shape));
  }

  Answer answer(int ranks, int64_t tokens, bool logits = false) const {
    SessionOptions options;
    options.model = path_;
    options.ranks = ranks;
    options.threads = 1;
    GenerationRequest request;
    request.prompt = {11, 12, kVocab - 1, 12};
    request.sampling = way_.options;
    request.sampling.seed = 42;
    request.stop.max_tokens = tokens;
    request.ignore_stop_tokens = true;
    request.wants_logits = logits;
    request.wants_logprobs = way_.logprobs >= 0;
    request.logprobs = std::max(way_.logprobs, 0);
    return answer_of(options, request);
  }
};

TEST_P(RanksSample, TheTokensAndLogProbabilitiesOfOneRank) {
  const Answer one = answer(1, kAnswer);
  EXPECT_EQ(static_cast<int64_t>(one.tokens.size()), kAnswer);
  for (const int ranks : {2, 3, 5}) {
    const Answer several = answer(ranks, kAnswer);
    EXPECT_EQ(several.tokens, one.tokens) << ranks << " ranks";
    EXPECT_EQ(several.log_probabilities, one.log_probabilities) << ranks << " ranks";
  }
}

TEST_P(RanksSample, ATokenIsToldAsSumsAndSummariesNeverAsLogits) {
  constexpr int kRanks = 2;
  const auto bytes_of_one = [&](bool logits) {
    return (answer(kRanks, kAnswer, logits).told_bytes - answer(kRanks, 1, logits).told_bytes) /
           (kAnswer - 1);
  };
  const int64_t sums = 2 * kLayers * (kDim + 1) * 8 + kDim * 4;
  const int64_t told = bytes_of_one(false);
  EXPECT_GE(told, sums);
  // Of summaries: a largest logit and a sum per block of 256, and candidates, which a wide top-p
  // has more of.
  const int64_t blocks = (kVocab / kRanks / 256 + 2) * 12;
  if (!way_.wide) {
    EXPECT_LE(told, sums + 3 * blocks + 2048);
  }
  const int64_t with_logits = bytes_of_one(true);
  EXPECT_GE(with_logits, kVocab / kRanks * 4);  // so the count would show them
  EXPECT_LE(told, with_logits - kVocab / kRanks * 3);
}

INSTANTIATE_TEST_SUITE_P(Ways, RanksSample, testing::Range(size_t{0}, ways().size()),
                         [](const testing::TestParamInfo<size_t>& info) {
                           return std::string(ways()[info.param].name);
                         });

}  // namespace
}  // namespace colonnade::test
