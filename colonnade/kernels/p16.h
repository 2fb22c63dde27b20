// P16, the layout of weights in memory: byte sizes of a block and a segment for each grouped
// format.
//
// A block holds 32 elements along K of 16 rows: code lines, then scales. Code line l (64 bytes, l =
// 0..3): byte 4r + i of row r has k = 8l + i in its low nibble and k = 8l + 4 + i in its high
// nibble. A 1-bit plane is one line: bit j of byte 4r + i is k = 4j + i. A 2-bit plane is two
// lines: bits 2j, 2j+1 of byte 4r + i of line h are k = 16h + 4j + i. 8-bit codes: line j (0..7),
// byte 4r + i is k = 4j + i. Behind the codes: one level: 16 f16 scales, then 16 f16 offsets if the
// format has them. Two levels: one byte per row and sub-group (16 sub-scales, for Q6_K 16 + 16),
// then 16 sub-minimums; at the end of the segment 16 f16 d, then 16 f16 dmin.
#pragma once

#include <cstdint>

#include "colonnade/kernels/views.h"

namespace colonnade::kernels {

struct P16Format {
  int bits;       // 4, 5, 6 or 8
  int zero;       // the integer that a code stands above: value = scale * (code - zero)
  int levels;     // 1: f16 scale per block; 2: sub-scales and d per segment
  int subgroups;  // per block: 1, or 2 (Q6_K)
  bool offset;    // + offset (one level) or - dmin * sub-minimum (two levels)
};

constexpr P16Format p16_format(GroupedKind kind) {
  switch (kind) {
    case GroupedKind::q4_0:
      return {4, 8, 1, 1, false};
    case GroupedKind::q4_1:
      return {4, 0, 1, 1, true};
    case GroupedKind::q5_0:
      return {5, 16, 1, 1, false};
    case GroupedKind::q5_1:
      return {5, 0, 1, 1, true};
    case GroupedKind::q8_0:
      return {8, 128, 1, 1, false};
    case GroupedKind::q4_k:
      return {4, 0, 2, 1, true};
    case GroupedKind::q5_k:
      return {5, 0, 2, 1, true};
    case GroupedKind::q6_k:
    case GroupedKind::count:
      break;
  }
  return {6, 32, 2, 2, false};
}

/// Bytes of the code lines and planes of a block.
constexpr int64_t code_bytes(P16Format f) { return int64_t{f.bits} * kBlock * kLanes / 8; }
/// Bytes of a block: codes, then first-level scales (and offsets).
constexpr int64_t block_bytes(P16Format f) {
  const int64_t per_row = f.levels == 1 ? (f.offset ? 4 : 2) : f.subgroups + (f.offset ? 1 : 0);
  return code_bytes(f) + kLanes * per_row;
}
/// Bytes behind the blocks of a segment: d and dmin of two-level formats.
constexpr int64_t segment_tail_bytes(P16Format f) {
  return f.levels == 1 ? 0 : int64_t{kLanes} * (f.offset ? 4 : 2);
}

/// Bytes of one panel, rounded up to whole 64-byte lines.
constexpr int64_t panel_bytes(P16Format f, int64_t blocks, int64_t segments) {
  return (blocks * block_bytes(f) + segments * segment_tail_bytes(f) + 63) / 64 * 64;
}

}  // namespace colonnade::kernels
