// StepRunner: executes steps on this rank.
#pragma once

#include <cstdint>
#include <vector>

#include "colonnade/engine/page_pool.h"
#include "colonnade/engine/step.h"
#include "colonnade/models/decoder.h"
#include "colonnade/tensor/ctx.h"

namespace colonnade {

struct StepRunnerOptions {
  int64_t context = 0;  // positions that a sequence may have
  int64_t choices = 0;  // tokens that can be chosen: rows of the head behind them are padding
};

/// One thread at a time. Every rank of the group runs the same steps.
class StepRunner {
 public:
  /// All must outlive it.
  StepRunner(Ctx cx, Decoder& decoder, PagePool& pages, const StepRunnerOptions& options);

  PagePool& pages() { return pages_; }
  Group& group() { return *cx_.mesh.tensor_parallel; }
  int64_t context() const { return options_.context; }
  int64_t choices() const { return options_.choices; }
  int64_t vocab() const { return decoder_.config().vocab; }
  /// Sees this rank's activations of the steps that follow.
  void set_probe(Probe probe) { cx_.probe = std::move(probe); }
  /// Positions are prepared, so that no step allocates for them.
  void reserve_positions(int64_t positions) {
    decoder_.reserve_positions(cx_.device, positions);
    page_table_.reserve(static_cast<size_t>(positions / kPagePositions + 1));
  }

  /// Executes the step and waits for it; on rank 0 the result is what all ranks told. Throws, on
  /// all ranks the same, AgreedError: a fault of a kernel, naming layer and token, a logit that is
  /// NaN or +infinity, or what went wrong on one rank; CommError if a rank is lost.
  const StepResult& run(const Step& step);

 private:
  void compute(const Step& step);
  Tensor forward(const Step& step);
  void tell(const Step& step);
  void hear(const Step& step);
  std::span<const float> share_of(int64_t row) const;

  Ctx cx_;
  Decoder& decoder_;
  PagePool& pages_;
  StepRunnerOptions options_;
  Range shard_;    // tokens whose logits are here and can be chosen
  Tensor logits_;  // [rows, V_r] of the last step with tokens
  ShardScan scan_;
  std::vector<std::byte> told_;                // this rank's part of the result
  std::vector<std::vector<std::byte>> heard_;  // [N] on rank 0
  StepResult result_;
  std::vector<std::byte*> page_table_;  // of all sequences, one behind the other
  std::vector<SequenceSpan> sequences_;
};

}  // namespace colonnade
