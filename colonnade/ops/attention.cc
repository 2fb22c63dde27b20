#include "colonnade/ops/attention.h"

#include <algorithm>

#include "colonnade/base/error.h"
#include "colonnade/ops/forms.h"
#include "colonnade/ops/matmul.h"
#include "colonnade/tensor/device.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

/// Positions that a head attends to in the time of a meeting: about 2 us.
constexpr int64_t kPositionsPerMeeting = 256;

void check(const Tensor& qkv, const AttentionParams& p, const KvStep& step, int64_t layer) {
  const KvLayout& layout = *step.layout;
  CN_CHECK(layout.head_dim == p.head_dim && layout.kv_heads == p.kv_heads && layer >= 0 &&
               layer < layout.layers,
           "attention: layer ", layer, ": cache: expected ", p.kv_heads, " KV heads of ",
           p.head_dim, ", got ", layout.kv_heads, " of ", layout.head_dim, " in ", layout.layers,
           " layers");
  CN_CHECK(layout.dtype == DType::f32 || layout.dtype == DType::bf16,
           "attention: cache: expected f32 or bf16, got ", name_of(layout.dtype));
  CN_CHECK(p.head_dim >= 1 && p.head_dim <= kMostHeadDim,
           "attention: head dimension: expected 1 to ", kMostHeadDim, ", got ", p.head_dim);
  const int64_t cols = (p.heads + 2 * p.kv_heads) * static_cast<int64_t>(p.head_dim);
  CN_CHECK(qkv.cols() == cols, "attention: layer ", layer, ": q, k, v: expected ", cols,
           " columns, got ", qkv.cols());
  CN_CHECK(p.heads == 0 || (p.first_in_group + p.heads - 1) / p.group < p.kv_heads,
           "attention: layer ", layer, ": ", p.heads, " query heads in groups of ", p.group,
           " need more than ", p.kv_heads, " KV heads");
  int64_t rows = 0;
  int64_t positions = 0;
  for (const SequenceSpan& sequence : step.sequences) {
    rows += sequence.tokens;
    positions = std::max(positions, sequence.first_position + sequence.tokens);
  }
  CN_CHECK(rows == qkv.rows(), "attention: layer ", layer, ": sequences: expected ", qkv.rows(),
           " tokens, got ", rows);
  CN_CHECK(p.rope == nullptr || positions <= p.rope->cosines.rows(), "attention: layer ", layer,
           ": positions: expected at most ", p.rope->cosines.rows(), ", got ", positions);
}

AttentionCommand command_for(const Tensor& qkv, const AttentionParams& p, const KvStep& step,
                             int64_t layer) {
  AttentionCommand command;
  command.q = qkv.f32();
  command.k = command.q + static_cast<int64_t>(p.heads) * p.head_dim;
  command.v = command.k + static_cast<int64_t>(p.kv_heads) * p.head_dim;
  command.stride = qkv.cols();
  command.q_norm = p.q_norm ? p.q_norm.f32() : nullptr;
  command.k_norm = p.k_norm ? p.k_norm.f32() : nullptr;
  if (p.rope != nullptr) {
    command.cosines = p.rope->cosines.f32();
    command.sines = p.rope->sines.f32();
    command.rotary = static_cast<int32_t>(2 * p.rope->cosines.cols());
    command.rope = p.rope->layout;
  }
  command.layout = step.layout;
  command.sequences = step.sequences.data();
  command.sequence_count = static_cast<int64_t>(step.sequences.size());
  command.layer = layer;
  command.window = p.window;
  command.heads = p.heads;
  command.group = p.group;
  command.first_in_group = p.first_in_group;
  command.eps = p.norm_eps;
  command.scale = p.scale;
  command.softcap = p.softcap;
  command.slopes = p.slopes ? p.slopes.f32() : nullptr;
  command.sinks = p.sinks ? p.sinks.f32() : nullptr;
  return command;
}

/// One command by KV head costs a meeting less, but divides the work less finely.
bool in_one_command(const AttentionParams& p, const KvStep& step, int64_t workers) {
  int64_t positions = 0;
  for (const SequenceSpan& sequence : step.sequences) {
    if (sequence.tokens != 1) return workers == 1;
    positions = std::max(positions, sequence.first_position + 1);
  }
  const auto sequences = static_cast<int64_t>(step.sequences.size());
  const auto share = [&](int64_t units) { return (units + workers - 1) / workers; };
  const int64_t heads_whole = share(sequences * p.kv_heads) * p.group;
  const int64_t heads_split = share(sequences * p.heads);
  return (heads_whole - heads_split) * positions < kPositionsPerMeeting;
}

}  // namespace

Activations attention(Ctx& cx, const Tensor& qkv, const AttentionParams& params, const KvStep& step,
                      int64_t layer, const Weight& consumer) {
  check(qkv, params, step, layer);
  const int64_t cols = static_cast<int64_t>(params.heads) * params.head_dim;
  Forms forms = forms_for({&consumer}, cols);
  // Codes head by head need activation groups that begin with the head.
  const bool codes_here =
      forms.plan != nullptr && params.head_dim % consumer.plan().cut().leaf == 0;
  if (!codes_here) forms.plan = nullptr;
  forms.values = true;
  const Activations out = make_activations(cx, forms, qkv.rows(), cols, 1);

  AttentionCommand command = command_for(qkv, params, step, layer);
  command.out = ref(out);
  if (!in_one_command(params, step, cx.device.workers())) {
    command.phase = AttentionPhase::prepare;
    cx.device.launch(command, Sync::meet);
    command.phase = AttentionPhase::attend;
  }
  cx.device.launch(command, Sync::meet);
  if (consumer.wants_codes() && !codes_here) return activations_for(cx, out.values, {&consumer});
  return out;
}

}  // namespace colonnade
