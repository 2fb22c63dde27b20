// The attention command: one file, because its three phases share how a step is walked.
#include <algorithm>

#include "colonnade/base/error.h"
#include "colonnade/base/partition.h"
#include "colonnade/device/cpu_commands.h"
#include "colonnade/device/cpu_weight.h"

namespace colonnade {
namespace {

/// Tokens of a task of many: their scores of one chunk, 32 x 64 f32, stay in the L1 cache.
constexpr int64_t kTile = 32;

/// Tokens [begin, end) of a sequence, counted from its first in this step.
struct Tokens {
  const SequenceSpan* sequence;
  int64_t begin;
  int64_t end;
};

/// One worker at one attention command.
class AttentionRun {
 public:
  AttentionRun(const AttentionCommand& command, int64_t sequence_number, Worker& worker)
      : c_(command),
        number_(sequence_number),
        worker_(worker),
        dim_(command.layout->head_dim),
        cache_(command.layout->dtype == DType::f32 ? kernels::CacheKind::f32
                                                   : kernels::CacheKind::bf16) {
    if (c_.out.codes != nullptr) codes_ = codes_view(c_.out, 0);
  }

  /// Units: sequence x KV head.
  void all() {
    const int64_t heads = c_.layout->kv_heads;
    const Range units =
        even_part(c_.sequence_count * heads, worker_.place.count, worker_.place.index);
    for (int64_t u = units.begin; u < units.end; ++u) {
      const SequenceSpan& sequence = c_.sequences[u / heads];
      const int64_t kv_head = u % heads;
      for (int64_t t = 0; t < sequence.tokens; ++t) prepare(sequence, t, kv_head);
      const Range queries = query_heads(kv_head);
      list_pages(sequence, sequence.tokens, kv_head);
      for (int64_t h = queries.begin; h < queries.end; ++h) {
        attend({&sequence, 0, sequence.tokens}, h);
      }
    }
  }

  /// Units: token x KV head.
  void prepare_all() {
    const int64_t heads = c_.layout->kv_heads;
    int64_t first = 0;  // unit of the sequence's first token
    const Range units = even_part(total_tokens() * heads, worker_.place.count, worker_.place.index);
    for (int64_t s = 0; s < c_.sequence_count; ++s) {
      const SequenceSpan& sequence = c_.sequences[s];
      const int64_t behind = first + sequence.tokens * heads;
      for (int64_t u = std::max(units.begin, first); u < std::min(units.end, behind); ++u) {
        prepare(sequence, (u - first) / heads, (u - first) % heads);
      }
      first = behind;
    }
  }

  /// Units: tile of tokens x query head, dealt out in turn: later tiles see more positions.
  void attend_all() {
    int64_t unit = 0;
    for (int64_t s = 0; s < c_.sequence_count; ++s) {
      const SequenceSpan& sequence = c_.sequences[s];
      for (int64_t begin = 0; begin < sequence.tokens; begin += kTile) {
        const int64_t end = std::min(begin + kTile, sequence.tokens);
        for (int64_t h = 0; h < c_.heads; ++h, ++unit) {
          if (unit % worker_.place.count != worker_.place.index) continue;
          list_pages(sequence, end, kv_head_of(h));
          attend({&sequence, begin, end}, h);
        }
      }
    }
  }

 private:
  int64_t total_tokens() const {
    int64_t tokens = 0;
    for (int64_t s = 0; s < c_.sequence_count; ++s) tokens += c_.sequences[s].tokens;
    return tokens;
  }

  int64_t kv_head_of(int64_t query_head) const {
    return (c_.first_in_group + query_head) / c_.group;
  }

  /// This rank's query heads that share KV head `kv_head`.
  Range query_heads(int64_t kv_head) const {
    const int64_t begin = kv_head * c_.group - c_.first_in_group;
    return {std::clamp<int64_t>(begin, 0, c_.heads),
            std::clamp<int64_t>(begin + c_.group, 0, c_.heads)};
  }

  kernels::PageView page(const SequenceSpan& sequence, int64_t index, int64_t kv_head) const {
    std::byte* keys = sequence.pages[index] + c_.layout->offset(c_.layer, kv_head);
    return {keys, keys + c_.layout->half_bytes()};
  }

  /// The worker's list: the pages that the first `tokens` tokens of the step's part see.
  void list_pages(const SequenceSpan& sequence, int64_t tokens, int64_t kv_head) const {
    const int64_t positions = sequence.first_position + tokens;
    const int64_t count = (positions + kPagePositions - 1) / kPagePositions;
    CN_ASSERT(count <= kMostPages, "attention over ", positions, " positions");
    for (int64_t p = 0; p < count; ++p) worker_.pages[p] = page(sequence, p, kv_head);
  }

  void normalise_and_rotate(float* head, const float* norm, int64_t position) const {
    if (norm != nullptr) worker_.table->rms_norm(head, head, norm, dim_, c_.eps);
    if (c_.cosines == nullptr) return;
    const int64_t at = position * (c_.rotary / 2);
    worker_.table->rope(
        head, c_.cosines + at, c_.sines + at, c_.rotary,
        c_.rope == RopeLayout::half ? kernels::RopeLayout::half : kernels::RopeLayout::interleaved);
  }

  /// q heads and k of token `t` get their final form; k and v go into the cache.
  void prepare(const SequenceSpan& sequence, int64_t t, int64_t kv_head) const {
    const int64_t row = (sequence.first_row + t) * c_.stride;
    const int64_t position = sequence.first_position + t;
    const Range queries = query_heads(kv_head);
    for (int64_t h = queries.begin; h < queries.end; ++h) {
      normalise_and_rotate(c_.q + row + h * dim_, c_.q_norm, position);
    }
    float* key = c_.k + row + kv_head * dim_;
    normalise_and_rotate(key, c_.k_norm, position);
    worker_.table->append_kv(page(sequence, position / kPagePositions, kv_head),
                             static_cast<int32_t>(position % kPagePositions), key,
                             c_.v + row + kv_head * dim_, static_cast<int32_t>(dim_), cache_);
  }

  /// Attention of one query head, then its codes. The worker's page list is set.
  void attend(const Tokens& tokens, int64_t head) const {
    const int64_t row = tokens.sequence->first_row + tokens.begin;
    kernels::AttentionTask task;
    task.q = c_.q + row * c_.stride + head * dim_;
    task.out = c_.out.values + row * c_.out.k + head * dim_;
    task.pages = worker_.pages;
    task.q_stride = c_.stride;
    task.out_stride = c_.out.k;
    task.first_position = tokens.sequence->first_position + tokens.begin;
    task.tokens = tokens.end - tokens.begin;
    task.window = c_.window;
    task.head_dim = static_cast<int32_t>(dim_);
    task.scale = c_.scale;
    task.cache = cache_;
    task.softcap = c_.softcap;
    if (c_.slopes != nullptr) task.slope = c_.slopes[head];
    if (c_.sinks != nullptr) {
      task.sink = c_.sinks[head];
      task.has_sink = 1;
    }
    worker_.table->attention(task, worker_.scratch);
    if (c_.out.codes != nullptr) quantize(row, task.tokens, head);
  }

  /// Codes of one head of rows [row, row + tokens): a leaf is a head, so its groups are the head's
  /// own.
  void quantize(int64_t row, int64_t tokens, int64_t head) const {
    const CpuWeight& plan = cpu(*c_.out.plan);
    const kernels::Span blocks{first_block(head * dim_), first_block((head + 1) * dim_)};
    for (int64_t t = row; t < row + tokens; ++t) {
      const float* x = c_.out.values + t * c_.out.k;
      if (worker_.table->quantize(x, plan.plan_view(), codes_, t, blocks) != 0) {
        worker_.faults->report_activation(worker_.place.index, number_, plan.name(), t);
      }
    }
  }

  /// The block that begins at element `k`.
  int64_t first_block(int64_t k) const {
    const std::vector<KRun>& runs = c_.out.plan->plan().runs();
    const auto at =
        std::lower_bound(runs.begin(), runs.end(), k,
                         [](const KRun& run, int64_t value) { return run.k_begin < value; });
    return at - runs.begin();
  }

  const AttentionCommand& c_;
  const int64_t number_;
  Worker& worker_;
  const int64_t dim_;
  const kernels::CacheKind cache_;
  kernels::CodesView codes_;
};

}  // namespace

void run_attention(const AttentionCommand& command, int64_t sequence, Worker& worker) {
  AttentionRun run(command, sequence, worker);
  switch (command.phase) {
    case AttentionPhase::all:
      return run.all();
    case AttentionPhase::prepare:
      return run.prepare_all();
    case AttentionPhase::attend:
      return run.attend_all();
  }
}

}  // namespace colonnade
