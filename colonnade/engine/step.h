// Step: what the engine asks all ranks to do next. Rank 0 decides it alone, every rank executes it.
#pragma once

#include <cstdint>
#include <vector>

namespace colonnade {

/// Consecutive tokens of one sequence.
struct StepSequence {
  int64_t tokens = 0;
  int64_t first_position = 0;
  std::vector<int32_t>
      pages;  // of the whole sequence so far, position order; these tokens' included
};

struct Step {
  uint64_t number = 0;                  // counts up from 1
  std::vector<int32_t> tokens;          // [T] of all sequences, one behind the other
  std::vector<StepSequence> sequences;  // together T tokens
  std::vector<int32_t> out_rows;        // rows of [T] whose logits are wanted
};

}  // namespace colonnade
