// Whether a plan fits into memory, and what would.
#pragma once

#include <cstdint>
#include <vector>

#include "colonnade/api/plan.h"

namespace colonnade {

struct MemoryOffer {
  std::vector<int64_t> bytes;  // of each rank; one value: as much for every rank
  bool shared = false;         // one value, which all ranks share: they run on one machine
};

struct PlanFit {
  bool fits = false;
  std::vector<bool> rank_fits;        // [N]; shared: all or none
  int64_t longest_context = 0;        // positions that fit this many ranks; 0: not one
  int nearest_ranks = 0;              // that fit when these do not; 0: none
  std::vector<double> better_shares;  // with which these ranks fit; empty: none are needed, or help
};

/// `plan` is plan_model(source, config, request). More ranks than `offer` lists have the least
/// memory that is listed. Throws Error unless it lists one size or one for each rank.
PlanFit judge_fit(const TensorSource& source, const ModelPlan& plan, const PlanRequest& request,
                  const MemoryOffer& offer);

}  // namespace colonnade
