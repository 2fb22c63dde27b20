// StepRunner: executes steps on this rank.
#pragma once

#include <cstdint>
#include <vector>

#include "colonnade/engine/page_pool.h"
#include "colonnade/engine/step.h"
#include "colonnade/models/decoder.h"
#include "colonnade/tensor/ctx.h"

namespace colonnade {

/// One thread at a time.
class StepRunner {
 public:
  /// All must outlive it. `context`: positions that a sequence may have.
  StepRunner(Ctx cx, Decoder& decoder, PagePool& pages, int64_t context)
      : cx_(std::move(cx)), decoder_(decoder), pages_(pages), context_(context) {}

  PagePool& pages() { return pages_; }
  int64_t context() const { return context_; }
  int64_t vocab() const { return decoder_.config().vocab; }
  /// Positions are prepared, so that no step allocates for them.
  void reserve_positions(int64_t positions) {
    decoder_.reserve_positions(cx_.device, positions);
    page_table_.reserve(static_cast<size_t>(positions / kPagePositions + 1));
  }

  /// Executes the step and waits for it. Logits of step.out_rows [n, V] f32, valid until the tensor
  /// is dropped; no tensor if none are wanted. Throws Error for a fault of a kernel, naming layer
  /// and token.
  Tensor run(const Step& step);

 private:
  Ctx cx_;
  Decoder& decoder_;
  PagePool& pages_;
  int64_t context_;
  std::vector<std::byte*> page_table_;  // of all sequences, one behind the other
  std::vector<SequenceSpan> sequences_;
};

}  // namespace colonnade
