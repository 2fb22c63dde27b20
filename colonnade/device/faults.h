// FaultBoard: what went wrong inside commands, where nothing may throw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace colonnade {

/// Keeps the first fault of each worker, in command order. report_* may run concurrently for
/// different workers; raise() when no command runs.
class FaultBoard {
 public:
  explicit FaultBoard(int workers) : first_(static_cast<size_t>(workers)) {}

  /// An activation of row `token` for `layer` is infinite or not a number.
  void report_activation(int worker, int64_t sequence, const std::string& layer, int64_t token);
  /// Leaf sums of `layer` are out of range.
  void report_leaves(int worker, int64_t sequence, const std::string& layer);

  /// Throws ModelError for the first fault in command order, and there the lowest row; forgets all.
  /// The same for every number of workers.
  void raise();

 private:
  struct alignas(128) Fault {  // a line pair each: workers do not disturb one another
    int64_t sequence = -1;     // none
    const std::string* layer = nullptr;
    int64_t token = -1;  // -1: leaves
  };

  std::vector<Fault> first_;  // [workers]
};

}  // namespace colonnade
