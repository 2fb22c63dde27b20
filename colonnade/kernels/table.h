// The kernel table: every range kernel, once per instruction set, all with the same bits. Kernels
// are single-threaded, allocate nothing and never throw; the device calls them with a thread's part
// of the extent.
#pragma once

#include <cstdint>

#include "colonnade/kernels/views.h"

namespace colonnade::kernels {

/// Of one processor, slowest first.
enum class Isa : uint8_t { scalar, avx2, avxvnni, avx512, avx512vnni, amx, neon, neondot, count };

struct KernelTable {
  const char* name;

  /// y = W x for panels [panels.begin, panels.end) of `w` and all tokens of `x`, integer tiers
  /// (int8 if x.lo is null, else int15).
  void (*matmul_grouped)(const GroupedView& w, const CodesView& x, Span panels,
                         const ProductOut& out, Scratch scratch) noexcept;
  /// The same in tier f32: x [tokens, x_stride] f32.
  void (*matmul_grouped_f32)(const GroupedView& w, const float* x, int64_t x_stride, int64_t tokens,
                             Span panels, const ProductOut& out, Scratch scratch) noexcept;
  /// The same for a dense weight. Panels begin and end at multiples of 4 (or at the last one) for
  /// 16-bit weights.
  void (*matmul_dense)(const DenseView& w, const float* x, int64_t x_stride, int64_t tokens,
                       Span panels, const ProductOut& out, Scratch scratch) noexcept;

  /// Row `row` of a weight as f32, y [K]: what an embedding looks up.
  void (*grouped_row)(const GroupedView& w, int64_t row, float* y) noexcept;
  void (*dense_row)(const DenseView& w, int64_t row, float* y) noexcept;

  /// Codes of token `token`, blocks [blocks.begin, blocks.end), from its row x [K] f32. int15 if
  /// codes.lo is set. Returns 0, or 1 when a value is infinite or not a number (codes are then
  /// unspecified).
  int32_t (*quantize)(const float* x, const KPlanView& plan, CodesView codes, int64_t token,
                      Span blocks) noexcept;

  /// y[i] = x[i] * (1 / sqrt(mean(x^2) + eps)) * weight[i], one row; y may be x. weight may be null
  /// (ones).
  void (*rms_norm)(float* y, const float* x, const float* weight, int64_t cols, float eps) noexcept;

  /// y[i] = (x[i] - mean) * (1 / sqrt(variance + eps)) * weight[i] + bias[i], one row; y may be x.
  /// weight and bias may be null.
  void (*layer_norm)(float* y, const float* x, const float* weight, const float* bias, int64_t cols,
                     float eps) noexcept;

  /// h[i] = f(gate[i]) * up[i], or f(gate[i]) if up is null; h may be gate.
  void (*activate)(ActivationKind kind, float* h, const float* gate, const float* up,
                   int64_t count) noexcept;
  /// x[i] = cap * tanh(x[i] / cap)
  void (*soft_cap)(float* x, int64_t count, float cap) noexcept;
  /// y[i] = y[i] * factor + x[i], each rounded; x may be null (0).
  void (*scale_add)(float* y, const float* x, float factor, int64_t count) noexcept;

  /// Rotates one head in place by the angles whose cosines and sines are given, [rotary / 2] each;
  /// elements from `rotary` on stay.
  void (*rope)(float* x, const float* cosines, const float* sines, int32_t rotary,
               RopeLayout layout) noexcept;

  /// Writes one position's key and value [head_dim] f32 into a page (slot = position % 64), rounded
  /// to the cache's dtype.
  void (*append_kv)(PageView page, int32_t slot, const float* key, const float* value,
                    int32_t head_dim, CacheKind cache) noexcept;
  void (*attention)(const AttentionTask& task, Scratch scratch) noexcept;

  /// y[row] = float((sum over ranks of sums[rank][row]) * 2^-36) (+ bias[row]) (+ residual[row])
  /// for one token, `count` rows.
  void (*finish_sums)(float* y, const int64_t* const* sums, int64_t ranks, const float* bias,
                      const float* residual, int64_t count) noexcept;

  /// What meters divide by: `rounds` rounds of nothing but f32 FMAs, or integer dots, in registers.
  /// Return the operations done (a multiply-add is 2). sink [64] f32 is read and written so that
  /// the work is not removed.
  int64_t (*fma_peak)(int64_t rounds, float* sink) noexcept;
  int64_t (*dot_peak)(int64_t rounds, float* sink) noexcept;
  /// Loads every byte of p [bytes], bytes >= 256, and does nothing with it.
  void (*read_all)(const uint8_t* p, int64_t bytes, float* sink) noexcept;
};

/// The table of `isa`, or null when this build does not have it. Does not ask the CPU.
const KernelTable* table_for(Isa isa);

const char* name_of(Isa isa);

}  // namespace colonnade::kernels
