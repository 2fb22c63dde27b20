#include "colonnade/engine/step_runner.h"

#include <algorithm>

#include "colonnade/base/error.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

Tensor tensor_of(Workspace& workspace, const std::vector<int32_t>& values) {
  Tensor tensor = workspace.tensor({static_cast<int64_t>(values.size())}, DType::i32);
  std::copy(values.begin(), values.end(), tensor.i32());
  return tensor;
}

/// An op has failed: the workers may still be at the commands before it, which read the step's
/// pages.
void finish_what_runs(Device& device) {
  try {
    device.join();
  } catch (const Error&) {
    // The first error is the one that is reported.
  }
}

}  // namespace

Tensor StepRunner::run(const Step& step) {
  page_table_.clear();
  sequences_.clear();
  size_t page_count = 0;
  for (const StepSequence& sequence : step.sequences) page_count += sequence.pages.size();
  page_table_.reserve(page_count);  // spans point into it
  int64_t row = 0;
  int64_t positions = 0;
  for (const StepSequence& sequence : step.sequences) {
    std::byte* const* first = page_table_.data() + page_table_.size();
    for (const int32_t page : sequence.pages) page_table_.push_back(pages_.at(page));
    sequences_.push_back({row, sequence.tokens, sequence.first_position, first});
    row += sequence.tokens;
    positions = std::max(positions, sequence.first_position + sequence.tokens);
  }
  CN_ASSERT(row == static_cast<int64_t>(step.tokens.size()), "step ", step.number, ": ", row,
            " rows");
  CN_CHECK(positions <= context_, "engine: expected at most ", context_, " positions, got ",
           positions);
  decoder_.reserve_positions(cx_.device, positions);

  DecoderInput input;
  input.ids = tensor_of(cx_.workspace, step.tokens);
  input.kv = {&pages_.layout(), sequences_};
  if (!step.out_rows.empty()) input.out_rows = tensor_of(cx_.workspace, step.out_rows);
  try {
    Tensor logits = decoder_(cx_, input);
    cx_.device.join();
    return logits;
  } catch (...) {
    finish_what_runs(cx_.device);
    throw;
  }
}

}  // namespace colonnade
