#include "colonnade/nn/experts.h"

#include <algorithm>
#include <cmath>

#include "tests/nn/nn_fixture.h"
#include "tests/support/bits.h"
#include "tests/support/random.h"
#include <gtest/gtest.h>

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 61;
constexpr int64_t kTokens = 9, kDim = 32, kHidden = 72, kExperts = 5;

ExpertDims dims(RouterKind router) {
  return {.dim = kDim,
          .hidden = kHidden,
          .activation = Activation::silu,
          .experts = kExperts,
          .chosen = 2,
          .router = router};
}

std::vector<float> router() { return test::random_floats(kSeed, kExperts * kDim); }
std::vector<float> gate(int64_t e) { return test::random_floats(kSeed + 10 + e, kHidden * kDim); }
std::vector<float> up(int64_t e) { return test::random_floats(kSeed + 20 + e, kHidden * kDim); }
std::vector<float> down(int64_t e) { return test::random_floats(kSeed + 30 + e, kDim * kHidden); }
std::vector<float> bias(int64_t e) { return test::random_floats(kSeed + 40 + e, kDim); }
std::vector<float> input() { return test::random_floats(kSeed + 1, kTokens * kDim); }
std::vector<float> residual() { return test::random_floats(kSeed + 2, kTokens * kDim); }

test::MemorySource source(bool with_biases) {
  test::MemorySource made;
  made.add("blk.0.ffn_gate_inp.weight", kExperts, kDim, router());
  for (int64_t e = 0; e < kExperts; ++e) {
    const std::string number = "." + std::to_string(e);
    made.add("blk.0.ffn_gate" + number + ".weight", kHidden, kDim, gate(e));
    made.add("blk.0.ffn_up" + number + ".weight", kHidden, kDim, up(e));
    made.add("blk.0.ffn_down" + number + ".weight", kDim, kHidden, down(e));
    if (with_biases) made.add("blk.0.ffn_down" + number + ".bias", 1, kDim, bias(e));
  }
  return made;
}

std::vector<float> experts(int ranks, RouterKind router, bool with_biases,
                           std::vector<double> shares = {}) {
  const test::MemorySource s = source(with_biases);
  return test::on_ranks(ranks, [&](Group& group) {
    test::Rank r(s, {group.rank(), ranks, shares}, group);
    const Experts layer(r.params, "blk.0.", dims(router));
    test::load(r.params, *r.device);
    const Tensor x = r.tensor(input(), {kTokens, kDim});
    return r.read(layer(r.cx, x, r.tensor(residual(), {kTokens, kDim})));
  });
}

double dot(const float* a, const float* b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

/// What expert `e` makes of a token, in f64.
std::vector<double> expert64(int64_t e, const float* x) {
  const std::vector<float> g = gate(e), u = up(e), d = down(e);
  std::vector<double> h(kHidden), y(kDim);
  for (int64_t f = 0; f < kHidden; ++f) {
    const double a = dot(&g[f * kDim], x, kDim);
    h[f] = a / (1 + std::exp(-a)) * dot(&u[f * kDim], x, kDim);
  }
  for (int64_t i = 0; i < kDim; ++i) {
    for (int64_t f = 0; f < kHidden; ++f) y[i] += h[f] * double{d[i * kHidden + f]};
  }
  return y;
}

TEST(Experts, AddWhatTheChosenOnesMakeTimesTheirProbabilities) {
  const std::vector<float> x = input(), weights = router(), before = residual();
  for (const RouterKind kind : {RouterKind::softmax_then_choose, RouterKind::choose_then_softmax}) {
    const std::vector<float> y = experts(1, kind, true);
    for (int64_t t = 0; t < kTokens; ++t) {
      std::vector<std::pair<double, int64_t>> logits;
      double all = 0;
      for (int64_t e = 0; e < kExperts; ++e) {
        logits.emplace_back(dot(&weights[e * kDim], &x[t * kDim], kDim), e);
        all += std::exp(logits.back().first);
      }
      std::sort(logits.rbegin(), logits.rend());
      const double chosen = std::exp(logits[0].first) + std::exp(logits[1].first);
      std::vector<double> expected(before.begin() + t * kDim, before.begin() + (t + 1) * kDim);
      double magnitude = 0;
      for (int i = 0; i < 2; ++i) {
        const auto [logit, e] = logits[i];
        const double p = std::exp(logit) / (kind == RouterKind::softmax_then_choose ? all : chosen);
        const std::vector<double> made = expert64(e, &x[t * kDim]);
        const std::vector<float> b = bias(e);
        for (int64_t d = 0; d < kDim; ++d) {
          expected[d] += p * (made[d] + double{b[d]});
          magnitude = std::max(magnitude, std::abs(made[d]));
        }
      }
      for (int64_t d = 0; d < kDim; ++d) {
        EXPECT_NEAR(y[t * kDim + d], expected[d], (magnitude + 4) * 4 * kHidden * 0x1p-24)
            << "token " << t;
      }
    }
  }
}

TEST(Experts, EveryRankCountGivesTheBitsOfOne) {
  for (const bool biases : {false, true}) {
    const std::vector<float> one = experts(1, RouterKind::choose_then_softmax, biases);
    for (const int ranks : {2, 3, 5, 40}) {
      EXPECT_TRUE(test::same_bits(experts(ranks, RouterKind::choose_then_softmax, biases), one))
          << ranks << " ranks";
    }
    EXPECT_TRUE(test::same_bits(experts(2, RouterKind::choose_then_softmax, biases, {3, 1}), one));
  }
}

TEST(Experts, OneTokenAtATimeGivesTheBitsOfAll) {
  const std::vector<float> together = experts(1, RouterKind::choose_then_softmax, true);
  const test::MemorySource s = source(true);
  SoloGroup group;
  test::Rank r(s, {}, group);
  const Experts layer(r.params, "blk.0.", dims(RouterKind::choose_then_softmax));
  test::load(r.params, *r.device);
  const std::vector<float> x = input(), before = residual();
  const auto row = [](const std::vector<float>& all, int64_t t) {
    return std::vector<float>(all.begin() + t * kDim, all.begin() + (t + 1) * kDim);
  };
  for (int64_t t = 0; t < kTokens; ++t) {
    const Tensor y =
        layer(r.cx, r.tensor(row(x, t), {1, kDim}), r.tensor(row(before, t), {1, kDim}));
    EXPECT_TRUE(test::same_bits(r.read(y), row(together, t))) << "token " << t;
  }
}

TEST(Experts, AreCutByTheirHiddenSizeAndMeetAFewOfTheTokens) {
  const test::MemorySource s = source(false);
  ParamSet params(s, {1, 3, {}});
  const Experts layer(params, "blk.0.", dims(RouterKind::choose_then_softmax));
  ASSERT_EQ(params.matrices().size(), 1U + 3 * kExperts);
  EXPECT_EQ(params.matrices()[0].row_range, (Range{0, kExperts}));
  EXPECT_EQ(params.matrices()[0].tokens_share, 1.0);
  for (size_t i = 1; i < params.matrices().size(); ++i) {
    const MatrixParam& param = params.matrices()[i];
    EXPECT_DOUBLE_EQ(param.tokens_share, 2.0 / kExperts) << param.name;
    EXPECT_LT(param.row_range.size() * param.col_range.size(), kDim * kHidden / 2) << param.name;
  }
}

}  // namespace
}  // namespace colonnade
