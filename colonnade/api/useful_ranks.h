// How many ranks a model can feed: from which number on one of them would hold nothing.
#pragma once

#include <cstdint>
#include <string>

#include "colonnade/nn/param.h"

namespace colonnade {

/// The partition of a model that has the most units, and so the most ranks with something to do.
struct UsefulRanks {
  int ranks = 1;
  std::string parameter;  // "token_embd.weight"
  int64_t total = 0;      // rows or columns that are divided
  int64_t unit = 1;
};

/// What the layers of `params` declared decides; how they are cut does not matter.
UsefulRanks largest_useful_ranks(const ParamSet& params);

/// Throws Error if a rank of `cut` would hold nothing of any layer: too many ranks (with parameter,
/// total, unit and the largest number that helps), or a share that is too small.
void check_useful_ranks(const ParamSet& params, const Cut& cut);

}  // namespace colonnade
