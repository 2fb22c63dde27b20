// Ranks: the other ranks of a group on this machine, started and ended by rank 0, which is the
// caller.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "colonnade/comm/group.h"
#include "colonnade/comm/operation_history.h"

namespace colonnade {

enum class RanksAs : uint8_t { threads, processes };

struct RankOptions {
  int ranks = 1;
  int64_t part_bytes = int64_t{1} << 20;  // that a rank may contribute to an exchange
  bool crowded = false;                   // more ranks x threads than CPUs: nobody spins
  Checking checking = kDefaultChecking;
};

/// What a rank other than 0 does; its group is valid until it returns. What it throws the others
/// read as its last words.
using RankBody = std::function<void(Group& group)>;

/// Tell the ranks to end before it is destroyed: it waits for them.
class Ranks {
 public:
  virtual ~Ranks() = default;
  /// Rank 0's. It counts as alive as long as the caller's process runs, whatever the caller does.
  virtual Group& group() = 0;
};

/// Throws Error if the system refuses a thread or a process, and for processes if this one has
/// other threads already: they would not be in the copies. One rank: the group of one.
std::unique_ptr<Ranks> start_ranks(RanksAs as, const RankOptions& options, const RankBody& body);

}  // namespace colonnade
