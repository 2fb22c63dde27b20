// KvLayout: where a key or value lies in a page of the KV cache; SequenceSpan: a step's tokens of
// one sequence.
#pragma once

#include <cstddef>
#include <cstdint>

#include "colonnade/base/dtype.h"

namespace colonnade {

/// Positions of a cache page and of an attention chunk. Source: docs/numerics.md section 5.
constexpr int64_t kPagePositions = 64;

/// A sequence has no more pages, so no more positions, than a device can list.
constexpr int64_t kMostPages = int64_t{1} << 16;
constexpr int64_t kMostContext = kMostPages * kPagePositions;

/// The widest head that attention takes.
constexpr int64_t kMostHeadDim = 512;

/// A page holds 64 positions of every layer and KV head of this rank, 64-byte aligned:
///   [layers][kv_heads][ keys: 4 panels, head_dim, 16 positions | values: 64 positions, head_dim ]
/// with room for a head_dim that is a multiple of 16.
struct KvLayout {
  int64_t layers = 0;
  int64_t kv_heads = 0;  // this rank's
  int64_t head_dim = 0;
  DType dtype = DType::f32;  // f32 or bf16

  int64_t half_bytes() const {
    return kPagePositions * ((head_dim + 15) / 16 * 16) * size_of(dtype);
  }
  int64_t head_bytes() const { return 2 * half_bytes(); }
  int64_t page_bytes() const { return layers * kv_heads * head_bytes(); }
  /// Bytes from a page's begin to the keys of a head; its values follow half_bytes() behind.
  int64_t offset(int64_t layer, int64_t kv_head) const {
    return (layer * kv_heads + kv_head) * head_bytes();
  }
};

/// Consecutive tokens of one sequence in a step. Must live until Device::join.
struct SequenceSpan {
  int64_t first_row = 0;  // row of its first token in the step's [T, ...] tensors
  int64_t tokens = 0;
  int64_t first_position = 0;  // in the sequence, of that token
  std::byte* const* pages =
      nullptr;  // [ceil((first_position + tokens) / 64)] pages, position order
};

}  // namespace colonnade
