// What kernels see: plain structs of pointers and sizes. Nothing from std beyond fixed-width
// integers, because these headers are compiled under every instruction set.
//
// Glossary: a *panel* is 16 output rows; a *block* is one run (at most 32 along K, padded to 32
// with any codes); a *segment* is what shares the scale behind it (a super-block, or a group of
// more than a block, cut by leaf boundaries; where blocks have their own scales a leaf); a *leaf*
// is one f32 chain. Source: docs/numerics.md.
#pragma once

#include <cstdint>

namespace colonnade::kernels {

constexpr int kLanes = 16;         // f32 lanes of a vector, rows of a panel
constexpr int kBlock = 32;         // elements along K of a block
constexpr int kE4m3Mask = 0xbf80;  // what an f16 has of a number of E4M3 shifted there
constexpr int kPage = 64;          // positions of an attention chunk and cache page

/// Half-open range of units of a kernel's extent (panels, rows, heads: each kernel says which).
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
};

/// Blocks that share the scale behind them. Segments never cross a leaf.
struct Segment {
  int32_t blocks = 0;
  int32_t ends_leaf = 0;  // 1 when the leaf ends behind this segment
};

/// One block: elements [k_begin, k_begin + length) of the row, length <= 32; `group` numbers the
/// activation group it lies in.
struct Run {
  int32_t k_begin = 0;
  int32_t length = 0;
  int32_t group = 0;
};

/// How K is cut, the same for every row of a weight and for the activations that meet it.
struct KPlanView {
  const Segment* segments = nullptr;  // [segments_count]
  const Run* runs = nullptr;          // [blocks]
  int64_t k = 0;                      // elements of a row
  int32_t segment_count = 0;
  int32_t blocks = 0;
  int32_t leaves = 0;
  int32_t uniform = 0;  // 1: every run is 32 long, so block b is [32 b, 32 b + 32)
};

enum class GroupedKind : uint8_t {
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  iq4_nl,
  mxfp4,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  iq4_xs,
  q8_k,
  nvfp4,
  mxfp8,
  affine2,
  affine3,
  affine4,
  affine5,
  affine6,
  affine8,
  count
};
enum class DenseKind : uint8_t { f32, bf16, f16, count };
enum class ScaleType : uint8_t { f16, bf16, f32 };

/// A grouped weight in P16: panels of 16 rows, each one stream of blocks (p16.h has the layout).
struct GroupedView {
  const uint8_t* panels = nullptr;  // [ceil(rows / 16)] of panel_bytes, 64-byte aligned
  int64_t panel_bytes = 0;
  int64_t rows = 0;
  KPlanView plan;
  GroupedKind kind = GroupedKind::q4_0;
  ScaleType scales = ScaleType::f16;  // of those that stand behind segments
};

/// A dense weight in P16. f32: a panel is [K][16]. bf16, f16: four panels are interleaved line by
/// line, a line being 16 rows x 2 along K; every leaf starts on a new line, so an odd leaf leaves
/// half a line unused.
struct DenseView {
  const uint8_t* panels = nullptr;  // groups of 1 (f32) or 4 (16-bit) panels, 64-byte aligned
  int64_t panel_bytes = 0;          // of one panel
  int64_t rows = 0;
  const int32_t* leaf_ends = nullptr;  // [leaves] element index behind each leaf
  int64_t k = 0;
  int32_t leaves = 0;
  DenseKind kind = DenseKind::f32;
};

/// Activations of `tokens` rows as integer codes, block by block so that a tile of tokens is
/// contiguous within a block. int8: `hi` only. int15: q = 128 hi + lo.
struct CodesView {
  int8_t* hi = nullptr;          // [blocks, tokens, 32]
  int8_t* lo = nullptr;          // [blocks, tokens, 32], null for int8
  float* scale = nullptr;        // [blocks, tokens]: s_a
  float* scaled_sum = nullptr;   // [blocks, tokens]: s_a * float(sum of q over the block)
  int32_t* half_sums = nullptr;  // [blocks, 2, tokens]: sums of q over elements 0..15 and 16..31
  int64_t tokens = 0;
  int32_t blocks = 0;
};

/// Where a product goes. Exactly one of y and sums is set.
///   y     [tokens, stride] f32: value (+ bias[row]) (+ residual[token, row]); residual may be y
///   itself sums  [tokens, stride] i64: the rank's exact sum in 2^-36 steps, no bias, no residual
struct ProductOut {
  float* y = nullptr;
  int64_t* sums = nullptr;
  const float* bias = nullptr;      // [rows] or null
  const float* residual = nullptr;  // [tokens, stride] or null
  int64_t stride = 0;               // elements from one token to the next, of y, sums and residual
  int64_t* bad_leaves = nullptr;    // exact products add to it the leaves that are out of range
  int32_t exact = 0;  // 1: leaves are added as integers (docs/numerics.md); needs bad_leaves
};

/// Memory that a kernel may use, one per thread, 64-byte aligned.
struct Scratch {
  uint8_t* data = nullptr;
  int64_t bytes = 0;  // at least kScratchBytes
};
constexpr int64_t kScratchBytes = 1 << 20;

/// One page of a KV cache for one layer and one KV head.
///   keys    [4 panels, Dh, 16 positions]   values  [64 positions, Dh]      f32 or bf16
struct PageView {
  void* keys = nullptr;
  void* values = nullptr;
};

enum class CacheKind : uint8_t { f32, bf16 };
enum class RopeLayout : uint8_t { half, interleaved };
/// clamped_silu: min(g, 7) sigmoid(1.702 min(g, 7)), whose unit's other factor is 1 + the value
/// clamped to [-7, 7].
enum class ActivationKind : uint8_t { silu, gelu_tanh, gelu_erf, relu, clamped_silu };

/// One attention task: query rows of one head for consecutive tokens of one sequence.
///   q    [tokens, q_stride] f32, already rotated; scaled here once      out  [tokens, out_stride]
///   f32 token t stands at position first_position + t and sees [max(0, position - window + 1),
///   position]
/// A score s of a key at distance n becomes softcap * tanh(s / softcap) if there is a softcap, then
/// s - slope * n. A sink is one more score, which has no value.
struct AttentionTask {
  const float* q = nullptr;
  float* out = nullptr;
  const PageView* pages =
      nullptr;  // [ceil((first_position + tokens) / 64)] of this layer and KV head
  int64_t q_stride = 0;
  int64_t out_stride = 0;
  int64_t first_position = 0;
  int64_t tokens = 0;
  int64_t window = 0;  // 0: unlimited
  int32_t head_dim = 0;
  float scale = 1.0F;
  float softcap = 0.0F;  // 0: none
  float slope = 0.0F;
  float sink = 0.0F;
  int32_t has_sink = 0;
  CacheKind cache = CacheKind::f32;
};

}  // namespace colonnade::kernels
