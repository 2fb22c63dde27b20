// The law of bits on real models: any number of ranks, their precision, threads, shares, and what
// they are.
#include <chrono>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/environment.h"
#include "tests/support/session_answer.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade::test {
namespace {

constexpr int64_t kTokens = 64;  // of prompt and answer together
constexpr int64_t kAnswer = 24;

struct Model {
  const char* name;
  int most_ranks;
};
constexpr Model kModels[] = {{"smollm2-135m", 11}, {"qwen2.5-coder-0.5b", 7}};
constexpr Tier kTiers[] = {Tier::int8, Tier::int15, Tier::f32};

/// How a model is cut, apart from its precision.
struct Assignment {
  int ranks = 1;
  int threads = 1;  // per rank
  bool even = true;
  RanksAs as = RanksAs::threads;

  std::vector<double> shares() const {
    std::vector<double> shares;
    for (int r = 0; !even && r < ranks; ++r) shares.push_back(1 + (r * 5 + 2) % 4);
    return shares;
  }
  std::string text() const {
    return concat(ranks, " ranks", as == RanksAs::threads ? " as threads" : " as processes", " of ",
                  threads, " threads, ", even ? "even" : "uneven", " shares");
  }
};

std::vector<Assignment> all_assignments(int most_ranks) {
  std::vector<Assignment> all;
  for (int ranks = 2; ranks <= most_ranks; ++ranks) {
    for (int threads = 1; threads <= 3; ++threads) {
      for (const bool even : {true, false}) {
        for (const RanksAs as : {RanksAs::threads, RanksAs::processes})
          all.push_back({ranks, threads, even, as});
      }
    }
  }
  return all;
}

/// One for each number of ranks, so that with the three tiers every two levels of any two
/// properties come together.
std::vector<Assignment> some_assignments(int most_ranks, int tier) {
  std::vector<Assignment> some;
  for (int ranks = 2; ranks <= most_ranks; ++ranks) {
    const int step = ranks + tier;
    some.push_back({ranks, 1 + step % 3, step / 2 % 2 == 0,
                    step % 2 == 0 ? RanksAs::threads : RanksAs::processes});
  }
  return some;
}

TEST(RanksOnRealModels, TheShortFormBringsEveryTwoLevelsTogether) {
  for (const Model& model : kModels) {
    std::set<std::pair<std::string, std::string>> pairs;
    for (int tier = 0; tier < 3; ++tier) {
      for (const Assignment& a : some_assignments(model.most_ranks, tier)) {
        const std::string levels[] = {concat("precision ", tier), concat("ranks ", a.ranks),
                                      concat("threads ", a.threads), concat("even ", a.even),
                                      concat("as ", static_cast<int>(a.as))};
        for (const std::string& one : levels) {
          for (const std::string& other : levels) {
            if (one < other) pairs.emplace(one, other);
          }
        }
      }
    }
    const auto n = static_cast<size_t>(model.most_ranks - 1);
    const size_t rank_pairs = n * (3 + 3 + 2 + 2);
    const size_t others = 3 * 3 + 3 * 2 + 3 * 2 + 3 * 2 + 3 * 2 + 2 * 2;
    EXPECT_EQ(pairs.size(), rank_pairs + others) << model.name;
  }
}

class RanksOnRealModels : public testing::TestWithParam<std::tuple<size_t, size_t>> {
 protected:
  void SetUp() override {
    path_ = cached_model(model_.name);
    if (path_.empty()) GTEST_SKIP() << "fetch it with tools/get_model " << model_.name;
  }

  /// Logits of a prompt's every token, then of the steps of an answer to it.
  std::vector<float> logits_of(const Assignment& a) const {
    SessionOptions options;
    options.model = path_;
    options.ranks = a.ranks;
    options.ranks_as = a.as;
    options.threads = a.threads;
    options.shares = a.shares();
    options.precision = kTiers[tier_];
    options.context = kTokens;
    options.chunk = 32;
    Session session(options);
    GenerationRequest request;
    request.prompt = session.tokenizer().encode(
        "The law of bits: 你好, 🍕 and def f(x): return x. No cut of a matrix changes a sum of "
        "integers, so that every number of ranks gives one answer.",
        text::ParseSpecial::no, text::AddSpecial::no);
    CN_CHECK(static_cast<int64_t>(request.prompt.size()) >= kTokens - kAnswer,
             "the prompt is short");
    request.prompt.resize(static_cast<size_t>(kTokens - kAnswer));
    std::vector<float> all = prompt_logits(session, request.prompt);
    request.sampling.temperature = 0;
    request.stop.max_tokens = kAnswer;
    request.ignore_stop_tokens = true;
    request.wants_logits = true;
    const std::vector<float> answer = answer_of(session, request).logits;
    all.insert(all.end(), answer.begin(), answer.end());
    EXPECT_EQ(static_cast<int64_t>(all.size()), kTokens * session.vocab());
    return all;
  }

  const Model& model_ = kModels[std::get<0>(GetParam())];
  const size_t tier_ = std::get<1>(GetParam());
  std::string path_;
};

TEST_P(RanksOnRealModels, AllLogitsHaveTheBitsOfOneRank) {
  const std::vector<float> one = logits_of({});
  const std::vector<Assignment> assignments =
      nightly() ? all_assignments(model_.most_ranks)
                : some_assignments(model_.most_ranks, static_cast<int>(tier_));
  for (const Assignment& a : assignments)
    EXPECT_TRUE(same_bits(logits_of(a), one)) << a.text() << ", " << name_of(kTiers[tier_]);
}

INSTANTIATE_TEST_SUITE_P(Models, RanksOnRealModels,
                         testing::Combine(testing::Range(size_t{0}, std::size(kModels)),
                                          testing::Range(size_t{0}, std::size(kTiers))),
                         [](const testing::TestParamInfo<std::tuple<size_t, size_t>>& info) {
                           return std::string(kModels[std::get<0>(info.param)].name).substr(0, 4) +
                                  "_" + std::string(name_of(kTiers[std::get<1>(info.param)]));
                         });

}  // namespace
}  // namespace colonnade::test
