// StepLeader and follow(): rank 0 tells the steps, the others execute them.
#pragma once

#include <cstdint>
#include <vector>

#include "colonnade/engine/step_runner.h"

namespace colonnade {

/// Rank 0's. One thread at a time.
class StepLeader {
 public:
  /// `runner` must outlive it.
  explicit StepLeader(StepRunner& runner) : runner_(runner) {}
  /// The other ranks' follow() returns.
  ~StepLeader();
  StepLeader(const StepLeader&) = delete;
  StepLeader& operator=(const StepLeader&) = delete;

  StepRunner& runner() { return runner_; }
  /// The step on all ranks. Numbers it. Throws as StepRunner::run.
  const StepResult& run(Step& step);

 private:
  StepRunner& runner_;
  uint64_t steps_ = 0;
  std::vector<std::byte> bytes_;  // of the step
};

/// Every other rank's: executes what rank 0 tells until it ends. Returns then; throws CommError if
/// a rank is lost.
void follow(StepRunner& runner);

}  // namespace colonnade
