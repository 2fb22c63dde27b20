// How the workers of a device divide a command. A worker computes its own part; parts are
// contiguous, in worker order and complete. Which worker does what never changes a bit.
#pragma once

#include <cstdint>
#include <span>

#include "colonnade/base/range.h"

namespace colonnade {

/// One of `count` workers.
struct WorkerPlace {
  int index = 0;
  int count = 1;
};

/// Items of one weight, all of the same cost.
struct CostedUnits {
  int64_t units = 0;
  int64_t cost = 0;  // of one
};

/// The worker's units of part `which` when all parts stand one behind the other and everybody gets
/// as nearly the same cost as whole units allow.
Range costed_part(std::span<const CostedUnits> parts, int which, WorkerPlace place);

/// The worker's columns of `total` in whole units.
Range unit_part(int64_t total, int64_t unit, WorkerPlace place);

}  // namespace colonnade
