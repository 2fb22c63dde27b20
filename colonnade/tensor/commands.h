// The commands of a device: plain structs that an op fills and launches. Pointers are borrowed; `T`
// rows of tokens, strides in elements. What a worker does of a command is the device's business;
// where two commands promise the same division (Sync::same_range), they say so here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "colonnade/base/range.h"
#include "colonnade/tensor/activations.h"
#include "colonnade/tensor/kv_layout.h"
#include "colonnade/tensor/weight.h"

namespace colonnade {

enum class CommandId : uint8_t {
  embed,
  select_rows,
  norm,
  quantize,
  matmul,
  glu,
  attention,
  finish_sums,
  gather_rows,
  scale_add,
  soft_cap,
  scatter_sums,
  scatter_bias
};

/// No command is larger.
constexpr int64_t kCommandBytes = 320;

/// y[t] = row ids[t] - first_id of the table, as f32; zeros where the table has no such row.
/// Divided by tokens.
struct EmbedCommand {
  static constexpr CommandId kId = CommandId::embed;
  const Weight* table = nullptr;
  int64_t first_id = 0;
  const int32_t* ids = nullptr;  // [T]
  float* y = nullptr;            // [T, K]
  int64_t tokens = 0;
};

/// y[i] = x[rows[i]]. Divided by rows of y.
struct SelectRowsCommand {
  static constexpr CommandId kId = CommandId::select_rows;
  const float* x = nullptr;       // [T, cols]
  const int32_t* rows = nullptr;  // [count]
  float* y = nullptr;             // [count, cols]
  int64_t count = 0;
  int64_t cols = 0;
};

enum class NormKind : uint8_t { rms, layer };

/// out = norm(x) * weight (+ bias) (+ residual), as values and/or codes. Divided by tokens; into
/// every replica by its worker if there are replicas.
struct NormCommand {
  static constexpr CommandId kId = CommandId::norm;
  const float* x = nullptr;         // [T, out.k]; may be the values of out
  const float* weight = nullptr;    // [out.k], null: ones
  const float* bias = nullptr;      // [out.k] or null; layer norm only
  const float* residual = nullptr;  // [T, out.k] or null
  float eps = 0;
  NormKind kind = NormKind::rms;
  ActivationsRef out;
};

/// out.codes of x. Divided as NormCommand.
struct QuantizeCommand {
  static constexpr CommandId kId = CommandId::quantize;
  const float* x = nullptr;  // [T, out.k]
  ActivationsRef out;
};

/// One weight of a product. Exactly one of y and sums.
struct MatmulPart {
  const Weight* weight = nullptr;
  Range rows = {};              // of the weight, from a multiple of 64 on; empty: all
  float* y = nullptr;           // [T, stride], column 0 is the weight's row rows.begin
  int64_t* sums = nullptr;      // the same: exact sums in 2^-36 steps, without bias and residual
  const float* bias = nullptr;  // [rows] or null
  const float* residual = nullptr;  // [T, stride] or null; may be y
  int64_t stride = 0;
};

/// Up to three weights times the same activations. Divided by rows of all weights, one behind the
/// other; with `paired_rows`, every weight by itself in units of that many rows, which is the
/// division of GluCommand too. Reads the worker's own replica: same_range behind the command that
/// wrote replicas.
struct MatmulCommand {
  static constexpr CommandId kId = CommandId::matmul;
  static constexpr int kMaxParts = 3;
  MatmulPart parts[kMaxParts];
  ActivationsRef x;
  int64_t paired_rows = 0;
  int32_t count = 0;
  int32_t exact = 0;              // 1: leaves are added as integers
  int64_t* bad_leaves = nullptr;  // with sums: where leaves out of range are counted, else a fault
};

/// Source: Elfwing et al. 2018 (SiLU); Hendrycks & Gimpel 2016 (GELU and its tanh form); Nair &
/// Hinton 2010 (ReLU); gpt-oss's configuration (clamped_silu: kernels/math.inl.h).
enum class Activation : uint8_t { silu, gelu_tanh, gelu_erf, relu, clamped_silu };

/// out = act(gate) * up (* scales of tokens), as values or codes; without `up` act(gate). Divided
/// by columns in units of `paired_rows`.
struct GluCommand {
  static constexpr CommandId kId = CommandId::glu;
  float* gate = nullptr;          // [T, out.k]; overwritten
  const float* up = nullptr;      // [T, out.k] or null
  const float* scales = nullptr;  // [T] or null
  int64_t paired_rows = 0;
  Activation kind = Activation::silu;
  ActivationsRef out;  // one replica
};

enum class RopeLayout : uint8_t { half, interleaved };

/// What a step does in AttentionCommand.
enum class AttentionPhase : uint8_t {
  all,      // prepare and attend; divided by (sequence, KV head)
  prepare,  // normalise and rotate q and k in place, append k and v; divided by (token, KV head)
  attend    // divided by (tile of tokens, query head)
};

struct AttentionCommand {
  static constexpr CommandId kId = CommandId::attention;
  float* q = nullptr;        // [T, stride]: heads * head_dim columns
  float* k = nullptr;        // [T, stride]: kv_heads * head_dim columns
  const float* v = nullptr;  // [T, stride]
  int64_t stride = 0;
  const float* q_norm = nullptr;  // [head_dim] or null
  const float* k_norm = nullptr;
  const float* cosines = nullptr;  // [positions, rotary / 2], or null: no rotation
  const float* sines = nullptr;
  const float* slopes = nullptr;  // [heads] or null: of ALiBi
  const float* sinks = nullptr;   // [heads] or null
  const KvLayout* layout = nullptr;
  const SequenceSpan* sequences = nullptr;  // [sequence_count]
  int64_t sequence_count = 0;
  int64_t layer = 0;
  int64_t window = 0;          // 0: unlimited
  int32_t heads = 0;           // this rank's
  int32_t group = 1;           // query heads that share a KV head, in the whole model
  int32_t first_in_group = 0;  // of this rank's first query head
  int32_t rotary = 0;
  float eps = 0;
  float scale = 1;
  float softcap = 0;  // 0: none
  RopeLayout rope = RopeLayout::half;
  AttentionPhase phase = AttentionPhase::all;
  ActivationsRef out;  // one replica: [T, heads * head_dim] values (always), and codes
};

/// y = float((sum of the ranks' sums) * 2^-36) (+ bias) (+ residual) of some tokens. Divided by
/// tokens, a single token's by columns.
struct FinishSumsCommand {
  static constexpr CommandId kId = CommandId::finish_sums;
  Range rows;          // of [T]: the tokens that are finished
  float* y = nullptr;  // [rows, y_stride], of which `cols` columns are written
  int64_t y_stride = 0;
  const std::span<const std::byte>* parts = nullptr;  // [ranks]: [T, cols] i64, then the count of
                                                      // bad leaves
  const int64_t* sums = nullptr;                      // in place of parts: the only rank's
  const float* bias = nullptr;                        // [cols] or null
  const float* residual = nullptr;                    // [rows, stride] or null; may be y
  int64_t stride = 0;
  int64_t ranks = 0;
  int64_t tokens = 0;
  int64_t cols = 0;
  const Weight* weight = nullptr;  // names the layer in a fault
};

/// y[t] = what rank r says of it, for the tokens even_part(T, ranks, r). Divided by tokens.
struct GatherRowsCommand {
  static constexpr CommandId kId = CommandId::gather_rows;
  float* y = nullptr;                                 // [T, stride], `cols` columns are written
  const std::span<const std::byte>* parts = nullptr;  // [ranks]: from `offset` on [T_r, cols] f32
  int64_t offset = 0;                                 // bytes
  int64_t ranks = 0;
  int64_t tokens = 0;
  int64_t cols = 0;
  int64_t stride = 0;
};

/// y = from * factor (+ x). Divided by tokens.
struct ScaleAddCommand {
  static constexpr CommandId kId = CommandId::scale_add;
  float* y = nullptr;           // [T, cols]
  const float* from = nullptr;  // [T, cols], may be y
  const float* x = nullptr;     // [T, cols] or null
  float factor = 1;
  int64_t tokens = 0;
  int64_t cols = 0;
};

/// y[rows[i]] += x[i], wrapping around. Divided by columns.
struct ScatterSumsCommand {
  static constexpr CommandId kId = CommandId::scatter_sums;
  int64_t* y = nullptr;           // [T, cols]
  const int64_t* x = nullptr;     // [count, cols]
  const int32_t* rows = nullptr;  // [count], ascending
  int64_t count = 0;
  int64_t cols = 0;
};

/// y[rows[i]] += factors[i] * bias, one rounding. Divided by columns.
struct ScatterBiasCommand {
  static constexpr CommandId kId = CommandId::scatter_bias;
  float* y = nullptr;              // [T, cols]
  const float* bias = nullptr;     // [cols]
  const float* factors = nullptr;  // [count]
  const int32_t* rows = nullptr;   // [count]
  int64_t count = 0;
  int64_t cols = 0;
};

/// x = cap * tanh(x / cap). Divided by columns.
struct SoftCapCommand {
  static constexpr CommandId kId = CommandId::soft_cap;
  float* x = nullptr;  // [T, cols]
  float cap = 1;
  int64_t tokens = 0;
  int64_t cols = 0;
};

}  // namespace colonnade
