#include "colonnade/engine/step_runner.h"

#include <algorithm>
#include <cstring>

#include "colonnade/base/error.h"
#include "colonnade/comm/collectives.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

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

StepRunner::StepRunner(Ctx cx, Decoder& decoder, PagePool& pages, const StepRunnerOptions& options)
    : cx_(std::move(cx)), decoder_(decoder), pages_(pages), options_(options) {
  const Range held = decoder_.vocabulary();
  shard_ = {std::min(held.begin, options.choices), std::min(held.end, options.choices)};
}

const StepResult& StepRunner::run(const Step& step) {
  try {
    compute(step);
    hear(step);
  } catch (const AgreedError&) {
    finish_what_runs(cx_.device);
    throw;
  } catch (const CommError&) {
    finish_what_runs(cx_.device);
    throw;
  } catch (const std::exception& error) {
    // The others learn of it where they wait for this rank next.
    finish_what_runs(cx_.device);
    group().fail_together(Failure::of(error));
  } catch (...) {
    group().abandon("what a probe threw is no std::exception");
    throw;
  }
  return result_;
}

void StepRunner::compute(const Step& step) {
  if (!step.tokens.empty()) {
    logits_ = Tensor();  // its memory serves this step
    logits_ = forward(step);
    cx_.device.join();
  }
  const int64_t rows = logits_ ? logits_.rows() : 0;
  for (const StepRow& row : step.rows) {
    CN_ASSERT(!step.tokens.empty() || row.row < rows, "step ", step.number, " asks row ", row.row,
              " of ", rows);
  }
  tell(step);
}

Tensor StepRunner::forward(const Step& step) {
  page_table_.clear();
  sequences_.clear();
  size_t page_count = 0;
  int32_t last_page = -1;
  for (const StepSequence& sequence : step.sequences) {
    page_count += sequence.pages.size();
    for (const int32_t page : sequence.pages) last_page = std::max(last_page, page);
  }
  pages_.reach(last_page + 1);
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
  CN_CHECK(positions <= options_.context, "engine: expected at most ", options_.context,
           " positions, got ", positions);
  decoder_.reserve_positions(cx_.device, positions);

  DecoderInput input;
  input.ids = cx_.workspace.tensor({row}, DType::i32);
  std::copy(step.tokens.begin(), step.tokens.end(), input.ids.i32());
  input.kv = {&pages_.layout(), sequences_};
  if (!step.rows.empty()) {
    input.out_rows = cx_.workspace.tensor({static_cast<int64_t>(step.rows.size())}, DType::i32);
    int32_t* out = input.out_rows.i32();
    for (const StepRow& wanted : step.rows) *out++ = wanted.row;
  }
  return decoder_(cx_, input);
}

/// Row i's logits of the tokens that are here and can be chosen.
std::span<const float> StepRunner::share_of(int64_t row) const {
  return {logits_.f32() + row * logits_.cols(), static_cast<size_t>(shard_.size())};
}

/// Writes this rank's part: summaries of all rows, then their logits if they are wanted.
void StepRunner::tell(const Step& step) {
  told_.clear();
  ByteWriter out(told_);
  for (size_t i = 0; i < step.rows.size(); ++i) {
    const StepRow& row = step.rows[i];
    const int64_t at = step.tokens.empty() ? row.row : static_cast<int64_t>(i);
    try {
      write_summary(scan_(share_of(at), shard_.begin, row.changes, row.request), out);
    } catch (const ModelError& error) {
      throw ModelError(error.what(), static_cast<int64_t>(i));
    }
  }
  if (step.gathers_logits) {
    const auto count = static_cast<size_t>(logits_ ? logits_.elements() : 0);
    out.put_all<float>({count > 0 ? logits_.f32() : nullptr, count});
  }
}

void StepRunner::hear(const Step& step) {
  gather(group(), told_, 0, heard_, "logits");
  if (heard_.empty()) return;  // rank 0 alone hears
  const size_t ranks = heard_.size();
  const size_t rows = step.rows.size();
  result_.ranks_ = ranks;
  if (result_.shards_.size() < rows * ranks) result_.shards_.resize(rows * ranks);
  if (!step.tokens.empty()) {  // a question leaves the logits as they were
    result_.vocab_ = step.gathers_logits ? static_cast<size_t>(vocab()) : 0;
    result_.logits_.resize(rows * result_.vocab_);
  }
  size_t first = 0;  // token of the rank's logits
  for (size_t r = 0; r < ranks; ++r) {
    ByteReader in(heard_[r]);
    for (size_t i = 0; i < rows; ++i) read_summary(in, result_.shards_[i * ranks + r]);
    if (!step.gathers_logits || rows == 0) continue;
    uint64_t count = 0;
    in.get(count);
    const size_t width = count / rows;
    CN_CHECK(in.rest().size() == count * sizeof(float) && first + width <= result_.vocab_,
             "logits of rank ", r, ": expected ", count, ", got ", in.rest().size(), " bytes");
    for (size_t i = 0; i < rows; ++i) {
      std::memcpy(result_.logits_.data() + i * result_.vocab_ + first,
                  in.rest().data() + i * width * sizeof(float), width * sizeof(float));
    }
    first += width;
  }
}

}  // namespace colonnade
