// Real models against an f64 run of transformers on the same weights (tools/make_golden.py made the
// data), teacher-forced.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>

#include "tests/support/bits.h"
#include "tests/support/environment.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/api/session.h"

namespace colonnade::test {
namespace {

using nlohmann::json;

json data_of(const std::string& kind, const std::string& name) {
  std::ifstream in(std::string(COLONNADE_TEST_DATA) + "/" + kind + "_" + name + ".json");
  return json::parse(in);
}

/// One prompt and its reference continuation.
struct Case {
  explicit Case(const json& data) : data(data), name(data["name"].get<std::string>()) {
    ids = data["prompt_ids"].get<std::vector<int32_t>>();
    prompt = static_cast<int64_t>(ids.size());
    chosen = data["token_ids"].get<std::vector<int32_t>>();
    ids.insert(ids.end(), chosen.begin(),
               chosen.end() - 1);  // the last one's successor is not asked for
  }
  const json& data;
  std::string name;
  std::vector<int32_t> ids, chosen;
  int64_t prompt;
};

int64_t argmax(std::span<const float> logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

double log_sum_exp(std::span<const float> logits) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float v : logits) sum += std::exp(v - most);
  return most + std::log(sum);
}

/// Largest |logit - reference| of one step over everything that the golden data holds of it.
double step_error(const json& data, size_t step, std::span<const float> logits) {
  double most = 0;
  const auto look = [&](const json& id, const json& expected) {
    const double logit = logits[id.get<size_t>()];
    most = std::max(most, std::abs(logit - expected.get<double>()));
  };
  look(data["token_ids"][step], data["top2_logits"][step][0]);
  look(data["second_ids"][step], data["top2_logits"][step][1]);
  for (size_t i = 0; i < data["probe_ids"].size(); ++i)
    look(data["probe_ids"][i], data["probe_logits"][step][i]);
  double mean = 0;
  for (const float v : logits) mean += v;
  mean /= static_cast<double>(logits.size());
  most = std::max(most, std::abs(mean - data["mean"][step].get<double>()));
  most = std::max(most, std::abs(log_sum_exp(logits) - data["logsumexp"][step].get<double>()));
  if (data.contains("wide_ids") && step + 1 == data["token_ids"].size()) {
    for (size_t i = 0; i < data["wide_ids"].size(); ++i)
      look(data["wide_ids"][i], data["wide_logits"][i]);
  }
  return most;
}

struct Agreement {
  int64_t positions = 0;
  int64_t disagree = 0;
  double largest_margin = 0;  // the reference's, where we disagree
  double largest_error = 0;
};

Agreement compare(Session& session, const json& data, size_t prompts, bool errors) {
  Agreement a;
  for (size_t p = 0; p < std::min(prompts, data["prompts"].size()); ++p) {
    const Case c(data["prompts"][p]);
    session.generator().evaluate(
        c.ids, c.prompt - 1, [&](int64_t index, std::span<const float> logits) {
          const auto step = static_cast<size_t>(index - c.prompt + 1);
          ++a.positions;
          if (errors) a.largest_error = std::max(a.largest_error, step_error(c.data, step, logits));
          if (argmax(logits) == c.chosen[step]) return;
          ++a.disagree;
          const json& top = c.data["top2_logits"][step];
          a.largest_margin =
              std::max(a.largest_margin, top[0].get<double>() - top[1].get<double>());
        });
  }
  return a;
}

class Golden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    path_ = cached_model(GetParam());
    if (path_.empty()) GTEST_SKIP() << "fetch it with tools/get_model " << GetParam();
  }
  std::unique_ptr<Session> session(Tier tier) const {
    SessionOptions options;
    options.model = path_;
    options.precision = tier;
    return std::make_unique<Session>(options);
  }
  std::string path_;
};

TEST_P(Golden, TierF32GivesTheLogitsOfTheF64Reference) {
  const json data = data_of("golden", GetParam());
  // Gemma's sixth prompt is longer than its window.
  const size_t some = GetParam() == std::string_view("gemma3-270m") ? 6 : 4;
  const Agreement a = compare(*session(Tier::f32), data, nightly() ? 10 : some, true);
  EXPECT_LT(a.largest_error, 1e-3);
  EXPECT_LE(a.largest_margin, 2e-3) << "the tokens differ where the reference's choice is clear";
  std::cout << GetParam() << " f32: largest logit error " << a.largest_error << ", " << a.disagree
            << " of " << a.positions << " tokens differ\n";
}

TEST_P(Golden, IntegerTiersDisagreeNoMoreThanThePeerAndNeverWhereTheChoiceIsClear) {
  const json data = data_of("golden", GetParam());
  // llama.cpp on the same file and ids (tools/peer_disagreement.py, docs/measuring.md): positions
  // of 640 whose argmax differs.
  const std::map<std::string, int64_t> peer = {
      {"smollm2-135m", 12}, {"qwen2.5-coder-0.5b", 6}, {"gemma3-270m", 13}};
  const Agreement int8 = compare(*session(Tier::int8), data, 10, false);
  EXPECT_EQ(int8.positions, 640);
  EXPECT_LE(int8.disagree, peer.at(GetParam()));
  EXPECT_LT(int8.largest_margin, 0.5);
  std::cout << GetParam() << " int8: " << int8.disagree << " of " << int8.positions
            << " differ, largest margin " << int8.largest_margin << "\n";
  const Agreement int15 = compare(*session(Tier::int15), data, nightly() ? 10 : 3, false);
  EXPECT_LT(int15.largest_margin, 0.05);
  std::cout << GetParam() << " int15: " << int15.disagree << " of " << int15.positions
            << " differ, largest margin " << int15.largest_margin << "\n";
}

/// Logits of a prompt's last token and of three steps behind it.
std::vector<float> few_logits(const SessionOptions& options) {
  Session session(options);
  GenerationRequest request;
  request.prompt = session.tokenizer().encode("The law of bits: 你好, 🍕 and def f(x): return x",
                                              text::ParseSpecial::no, text::AddSpecial::no);
  request.sampling.temperature = 0;
  request.stop.max_tokens = 4;
  request.wants_logits = true;
  std::vector<float> all;
  session.generator().generate(request, [&](const TokenEvent& event) {
    all.insert(all.end(), event.logits.begin(), event.logits.end());
    return true;
  });
  return all;
}

TEST_P(Golden, ThreadsChunksAndInstructionSetsChangeNoBitOfARealModel) {
  for (const Tier tier : {Tier::int8, Tier::int15, Tier::f32}) {
    SessionOptions options;
    options.model = path_;
    options.precision = tier;
    options.threads = 1;
    const std::vector<float> expected = few_logits(options);
    options.threads = 3;
    options.chunk = 7;
    EXPECT_TRUE(same_bits(few_logits(options), expected))
        << name_of(tier) << ": 3 threads, chunks of 7";
    options.threads = 2;
    options.chunk = 512;
    options.isa = tier == Tier::int8 && !nightly() ? "avx2" : "scalar";
    if (tier != Tier::int8 && !nightly()) continue;
    EXPECT_TRUE(same_bits(few_logits(options), expected)) << name_of(tier) << ": " << options.isa;
  }
}

/// Perplexity over the first windows of the text, and how often the most likely token is another
/// than the reference's.
struct TextScore {
  double nll = 0;
  double reference_nll = 0;
  int64_t positions = 0;
  int64_t disagree = 0;
  double largest_margin = 0;

  double distance() const {
    return std::exp((nll - reference_nll) / static_cast<double>(positions)) - 1;
  }
};

void score_window(Session& session, const json& data, size_t w, TextScore& score) {
  const auto ids = data["ids"].get<std::vector<int32_t>>();
  const auto n = data["n_ctx"].get<int64_t>();
  const std::span<const int32_t> window(ids.data() + static_cast<int64_t>(w) * n,
                                        static_cast<size_t>(n));
  const auto on_row = [&](int64_t i, std::span<const float> logits) {
    const auto next = static_cast<size_t>(window[static_cast<size_t>(i + 1)]);
    score.nll += log_sum_exp(logits) - static_cast<double>(logits[next]);
    ++score.positions;
    const auto at = static_cast<size_t>(i - n / 2);
    if (argmax(logits) == data["argmax"][w][at]) return;
    ++score.disagree;
    score.largest_margin = std::max(score.largest_margin, data["margin"][w][at].get<double>());
  };
  session.generator().evaluate(window.first(static_cast<size_t>(n - 1)), n / 2, on_row);
  score.reference_nll += data["window_nll"][w].get<double>();
}

TEST_P(Golden, PerplexityOfATextIsTheReferences) {
  const json data = data_of("perplexity", GetParam());
  // llama.cpp's disagreements on all windows (docs/measuring.md).
  const std::map<std::string, double> peer = {
      {"smollm2-135m", 51}, {"qwen2.5-coder-0.5b", 38}, {"gemma3-270m", 61}};
  for (const Tier tier : {Tier::f32, Tier::int15, Tier::int8}) {
    const size_t windows = tier == Tier::int8 || nightly() ? data["window_nll"].size() : 1;
    const std::unique_ptr<Session> loaded = session(tier);
    TextScore s;
    for (size_t w = 0; w < windows; ++w) score_window(*loaded, data, w, s);
    std::cout << GetParam() << " " << name_of(tier) << ": perplexity of " << windows << " windows "
              << 100 * s.distance() << " % from the reference; " << s.disagree << " of "
              << s.positions << " tokens differ, largest margin " << s.largest_margin << "\n";
    EXPECT_LT(std::abs(s.distance()), tier == Tier::int8 ? 0.01 : 0.001);
    if (tier != Tier::int8) continue;
    // Near ties that fall either way: a count of n has a standard deviation of sqrt(n).
    const double bound = peer.at(GetParam());
    EXPECT_LE(static_cast<double>(s.disagree), bound + 2 * std::sqrt(bound));
    EXPECT_LT(s.largest_margin, 0.5);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Golden,
                         testing::Values("smollm2-135m", "qwen2.5-coder-0.5b", "gemma3-270m"),
                         [](const testing::TestParamInfo<const char*>& info) {
                           return std::string(info.param).substr(0, 4);
                         });

}  // namespace
}  // namespace colonnade::test
