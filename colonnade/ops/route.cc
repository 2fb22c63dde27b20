#include "colonnade/ops/route.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "colonnade/base/error.h"
#include "colonnade/base/math.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

/// One token's choice.
class Choice {
 public:
  explicit Choice(int64_t experts) : order_(static_cast<size_t>(experts)) {}

  /// The numbers of the `chosen` experts of the largest logits, the largest first.
  std::span<const int> of(std::span<const float> logits, int chosen) {
    std::iota(order_.begin(), order_.end(), 0);
    const auto first = [&](int a, int b) {
      const float x = logits[static_cast<size_t>(a)], y = logits[static_cast<size_t>(b)];
      return x != y ? x > y : a < b;
    };
    std::partial_sort(order_.begin(), order_.begin() + chosen, order_.end(), first);
    return std::span(order_).first(static_cast<size_t>(chosen));
  }

  /// Sum of exp(l - largest) over the experts that the factors are probabilities of; in f64, in the
  /// order of their numbers or of the choice.
  double total(std::span<const float> logits, std::span<const int> chosen, RouterKind kind) const {
    const double largest = logits[static_cast<size_t>(chosen[0])];
    double sum = 0;
    if (kind == RouterKind::softmax_then_choose) {
      for (const float logit : logits) sum += math::exp(double{logit} - largest);
    } else {
      for (const int expert : chosen)
        sum += math::exp(double{logits[static_cast<size_t>(expert)]} - largest);
    }
    return sum;
  }

 private:
  std::vector<int> order_;  // [experts]
};

struct Chosen {
  int32_t row;
  float factor;
};

ExpertTokens make_tokens(Ctx& cx, int expert, const std::vector<Chosen>& tokens) {
  const auto count = static_cast<int64_t>(tokens.size());
  ExpertTokens made{.expert = expert,
                    .rows = cx.workspace.tensor({count, 1}, DType::i32),
                    .factors = cx.workspace.tensor({count, 1})};
  for (int64_t i = 0; i < count; ++i) {
    made.rows.i32()[i] = tokens[static_cast<size_t>(i)].row;
    made.factors.f32()[i] = tokens[static_cast<size_t>(i)].factor;
  }
  return made;
}

}  // namespace

std::vector<ExpertTokens> route(Ctx& cx, const Tensor& logits, int chosen, RouterKind kind,
                                const char* layer) {
  const int64_t experts = logits.cols();
  CN_CHECK(chosen >= 1 && chosen <= experts, "route: experts per token: expected 1 to ", experts,
           ", got ", chosen);
  cx.device.join();
  std::vector<std::vector<Chosen>> tokens(static_cast<size_t>(experts));
  Choice choice(experts);
  for (int64_t t = 0; t < logits.rows(); ++t) {
    const std::span row(logits.f32() + t * experts, static_cast<size_t>(experts));
    for (const float logit : row) {
      if (!std::isfinite(logit))
        throw ModelError(
            concat("layer ", layer, ": token ", t, ": the router's logit is not finite"), t);
    }
    const std::span<const int> best = choice.of(row, chosen);
    const double total = choice.total(row, best, kind);
    const double largest = row[static_cast<size_t>(best[0])];
    for (const int expert : best) {
      const double share = math::exp(double{row[static_cast<size_t>(expert)]} - largest) / total;
      tokens[static_cast<size_t>(expert)].push_back(
          {static_cast<int32_t>(t), static_cast<float>(share)});
    }
  }
  std::vector<ExpertTokens> made;
  for (int64_t e = 0; e < experts; ++e) {
    const auto& of_expert = tokens[static_cast<size_t>(e)];
    if (!of_expert.empty()) made.push_back(make_tokens(cx, static_cast<int>(e), of_expert));
  }
  return made;
}

}  // namespace colonnade
