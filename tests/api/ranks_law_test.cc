// The law of bits over ranks: any number of them, shares, threads, instruction sets, as threads and
// as processes.
#include <string>
#include <vector>

#include "tests/support/gguf_builder.h"
#include "tests/support/session_answer.h"
#include "tests/support/tiny_kinds.h"
#include "tests/support/tiny_model.h"
#include <gtest/gtest.h>

#include "colonnade/api/session.h"
#include "colonnade/base/error.h"
#include "colonnade/device/isa.h"

namespace colonnade::test {
namespace {

constexpr int64_t kPrompt = 70;  // over a page border
constexpr int64_t kAnswer = 4;

Answer answer_of(const SessionOptions& options, float temperature = 0) {
  GenerationRequest request;
  for (int64_t i = 0; i < kPrompt; ++i)
    request.prompt.push_back(static_cast<int32_t>((i * i * 7 + i * 31 + 5) % 256));
  request.sampling.temperature = temperature;
  request.sampling.seed = 42;
  request.stop.max_tokens = kAnswer;
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  return test::answer_of(options, request);
}

class RanksLaw : public testing::TestWithParam<size_t> {
 protected:
  const TinyKind kind_ = tiny_kinds()[GetParam()];
  TemporaryFolder folder_;
  const std::string path_ = folder_.write("tiny.gguf", tiny_model(kind_.shape));

  SessionOptions options(int ranks, Tier tier, RanksAs as = RanksAs::threads) const {
    SessionOptions o;
    o.model = path_;
    o.ranks = ranks;
    o.ranks_as = as;
    o.threads = 1;
    o.chunk = 32;
    o.precision = tier;
    return o;
  }
  void expect_same(const SessionOptions& o, const Answer& expected, const std::string& what) const {
    const Answer actual = answer_of(o);
    EXPECT_TRUE(same_bits(actual.logits, expected.logits)) << what;
    EXPECT_EQ(actual.tokens, expected.tokens) << what;
  }
};

TEST_P(RanksLaw, AnyNumberOfRanksGivesTheBitsOfOne) {
  for (const Tier tier : {Tier::int8, Tier::int15, Tier::f32}) {
    const Answer one = answer_of(options(1, tier));
    for (const int ranks : {2, 3, 5, 7}) {
      const RanksAs as = ranks == 3 ? RanksAs::processes : RanksAs::threads;
      expect_same(options(ranks, tier, as), one,
                  concat(ranks, " ranks, ", name_of(tier), ", ", kind_.name));
    }
  }
}

TEST_P(RanksLaw, UnevenSharesThreadsAndInstructionSetsOfRanksChangeNoBit) {
  const Answer one = answer_of(options(1, Tier::int8));
  SessionOptions o = options(3, Tier::int8, RanksAs::processes);
  o.shares = {3, 1, 2};
  expect_same(o, one, "shares");
  o = options(3, Tier::int8);
  o.each = {
      {.threads = 2, .isa = ""}, {.threads = 1, .isa = "scalar"}, {.threads = 3, .isa = "avx2"}};
  expect_same(o, one, "threads and instruction sets");
  o.chunk = 7;
  o.shares = {1, 5, 1};
  expect_same(o, one, "chunks of 7");
}

TEST_P(RanksLaw, DrawsAreThoseOfOneRank) {
  const Answer one = answer_of(options(1, Tier::int8), 1.0F);
  for (const int ranks : {2, 3}) {
    EXPECT_EQ(answer_of(options(ranks, Tier::int8), 1.0F).tokens, one.tokens) << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RanksLaw, testing::Range(size_t{0}, tiny_kinds().size()),
                         [](const testing::TestParamInfo<size_t>& info) {
                           return std::string(tiny_kinds()[info.param].name);
                         });

}  // namespace
}  // namespace colonnade::test
