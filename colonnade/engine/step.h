// Step: what the engine asks all ranks to do next. Rank 0 decides it alone, every rank executes it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/engine/vocabulary.h"

namespace colonnade {

/// Consecutive tokens of one sequence.
struct StepSequence {
  int64_t tokens = 0;
  int64_t first_position = 0;
  std::vector<int32_t>
      pages;  // of the whole sequence so far, position order; these tokens' included
};

/// A row whose logits are wanted, and what every rank tells about its share of them.
struct StepRow {
  int32_t row = 0;  // of the step's [T]
  ShardRequest request;
  LogitChanges changes;  // before the request; the logits stay as they are
};

struct Step {
  uint64_t number = 0;                  // counts up from 1
  std::vector<int32_t> tokens;          // [T] of all sequences, one behind the other
  std::vector<StepSequence> sequences;  // together T tokens
  /// Without tokens: questions more about rows of the step before; `row` counts its rows.
  std::vector<StepRow> rows;
  bool gathers_logits = false;  // rank 0 wants to see the logits of all rows
};

/// What came of it, on rank 0. The views are valid until the next step.
class StepResult {
 public:
  /// The ranks' shares of row i of the step: [N], in order of the vocabulary.
  std::span<const ShardSummary> shards(int64_t row) const {
    return std::span(shards_).subspan(static_cast<size_t>(row) * ranks_, ranks_);
  }
  /// [V] of row i if the step gathers logits, else empty.
  std::span<const float> logits(int64_t row) const {
    return std::span(logits_).subspan(static_cast<size_t>(row) * vocab_, vocab_);
  }

 private:
  friend class StepRunner;

  size_t ranks_ = 0;
  size_t vocab_ = 0;                  // 0: no logits
  std::vector<ShardSummary> shards_;  // [rows, N]
  std::vector<float> logits_;         // [rows, V]
};

/// How a step travels. The reader throws Error for bytes that are none.
void write_step(const Step& step, std::vector<std::byte>& out);
void read_step(std::span<const std::byte> bytes, Step& step);

}  // namespace colonnade
