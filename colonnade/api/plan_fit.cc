#include "colonnade/api/plan_fit.h"

#include <algorithm>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

/// Which ranks find room, by what each of them takes.
std::vector<bool> ranks_that_fit(const std::vector<int64_t>& taken, const MemoryOffer& offer) {
  int64_t sum = 0;
  for (const int64_t bytes : taken) sum += bytes;
  std::vector<bool> fit;
  for (size_t r = 0; r < taken.size(); ++r) {
    const int64_t room = offer.bytes.size() > 1 ? offer.bytes[r] : offer.bytes.front();
    fit.push_back((offer.shared ? sum : taken[r]) <= room);
  }
  return fit;
}

bool all_of(const std::vector<bool>& fit) {
  return std::find(fit.begin(), fit.end(), false) == fit.end();
}

std::vector<int64_t> totals_of(const std::vector<RankPlan>& ranks) {
  std::vector<int64_t> totals;
  for (const RankPlan& rank : ranks) totals.push_back(rank.memory.total());
  return totals;
}

int64_t longest_context(const ModelPlan& plan, PlanRequest request, const MemoryOffer& offer) {
  const auto fits = [&](int64_t context) {
    request.context = context;
    std::vector<int64_t> totals;
    for (const RankPlan& rank : plan.ranks)
      totals.push_back(rank_memory(plan.config, rank, request).total());
    return all_of(ranks_that_fit(totals, offer));
  };
  int64_t most = 0, too_many = plan.config.context + 1;
  while (most + 1 < too_many) {
    const int64_t middle = most + (too_many - most) / 2;
    (fits(middle) ? most : too_many) = middle;
  }
  return most;
}

/// Other numbers of ranks for the same model.
class Search {
 public:
  Search(const TensorSource& source, const ModelPlan& plan, const PlanRequest& request,
         const MemoryOffer& offer)
      : source_(source), plan_(plan), request_(request), offer_(offer) {}

  /// More ranks, each with memory of its own. The first rank has the most of equal shares, so it is
  /// asked before all the others are.
  int more() const {
    const int64_t room = *std::min_element(offer_.bytes.begin(), offer_.bytes.end());
    // All ranks together hold the whole model at least.
    const int64_t whole = plan_rank(source_, plan_.config, equal(1), 0).memory.weight_bytes;
    const int64_t fewest = std::max<int64_t>(plan_.size() + 1, whole / std::max<int64_t>(room, 1));
    const MemoryOffer each{{room}, false};
    if (first_rank(plan_.useful.ranks) > room) return 0;
    for (int64_t n = fewest; n <= plan_.useful.ranks; ++n) {
      const int ranks = static_cast<int>(n);
      if (first_rank(ranks) <= room && fits(equal(ranks), each)) return ranks;
    }
    return 0;
  }

  /// Fewer ranks of one machine: they hold less twice.
  int fewer() const {
    for (int ranks = plan_.size() - 1; ranks >= 1; --ranks) {
      if (fits(equal(ranks), offer_)) return ranks;
    }
    return 0;
  }

  /// Shares as the memory is.
  std::vector<double> shares() const {
    PlanRequest request = request_;
    request.shares.assign(offer_.bytes.begin(), offer_.bytes.end());
    const double least = *std::min_element(request.shares.begin(), request.shares.end());
    for (double& share : request.shares) share /= least;
    return fits(request, offer_) ? request.shares : std::vector<double>();
  }

 private:
  PlanRequest equal(int ranks) const {
    PlanRequest request = request_;
    request.ranks = ranks;
    request.shares.clear();
    return request;
  }

  int64_t first_rank(int ranks) const {
    return plan_rank(source_, plan_.config, equal(ranks), 0).memory.total();
  }

  bool fits(const PlanRequest& request, const MemoryOffer& offer) const {
    try {
      check_request(source_, plan_.config, request);
    } catch (const Error&) {
      return false;  // a rank would hold nothing
    }
    std::vector<int64_t> totals;
    for (int r = 0; r < request.ranks; ++r)
      totals.push_back(plan_rank(source_, plan_.config, request, r).memory.total());
    return all_of(ranks_that_fit(totals, offer));
  }

  const TensorSource& source_;
  const ModelPlan& plan_;
  const PlanRequest& request_;
  const MemoryOffer& offer_;
};

}  // namespace

PlanFit judge_fit(const TensorSource& source, const ModelPlan& plan, const PlanRequest& request,
                  const MemoryOffer& offer) {
  CN_CHECK(offer.bytes.size() == 1 || offer.bytes.size() == plan.ranks.size(),
           "memory: expected one size, or one for each of ", plan.size(), " ranks, got ",
           offer.bytes.size());
  PlanFit fit;
  fit.rank_fits = ranks_that_fit(totals_of(plan.ranks), offer);
  fit.fits = all_of(fit.rank_fits);
  fit.longest_context = longest_context(plan, request, offer);
  if (fit.fits) return fit;
  const Search search(source, plan, request, offer);
  if (offer.bytes.size() > 1) fit.better_shares = search.shares();
  fit.nearest_ranks = offer.shared ? search.fewer() : search.more();
  return fit;
}

}  // namespace colonnade
