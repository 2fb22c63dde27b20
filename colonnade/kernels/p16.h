// P16, the layout of weights in memory: byte sizes of a block and a segment for each grouped
// format.
//
// A block holds 32 elements along K of 16 rows: code lines, then scales. Code line l (64 bytes, l =
// 0..3): byte 4r + i of row r has k = 8l + i in its low nibble and k = 8l + 4 + i in its high
// nibble. A 1-bit plane is one line: bit j of byte 4r + i is k = 4j + i. A 2-bit plane is two
// lines: bits 2j, 2j+1 of byte 4r + i of line h are k = 16h + 4j + i. 3 bits are a plane of the
// lower two, then one of the third; 5 and 6 bits are nibbles, then a plane. 8-bit codes: line j
// (0..7), byte 4r + i is k = 4j + i. 8-bit floats: line j, byte 32h + 2r + i is k = 4j + 2h + i, so
// that half a line is 16 rows of words.
//
// Behind the codes of a block stand 16 scales (f16, or a byte of e8m0 or e4m3, the latter 16 for
// either half of the block), then 16 offsets if the format has them. Formats whose scale serves
// more than a block have it, and the offsets, at the end of the segment. Two levels: behind the
// codes one byte per row and sub-group (16 sub-scales, for Q6_K 16 + 16), then 16 sub-minimums. Two
// sub-groups of 2 or 3 bits: two bytes per row, the sub-scale of either, and its sub-minimum in the
// upper four bits.
#pragma once

#include <cstdint>

#include "colonnade/kernels/views.h"

namespace colonnade::kernels {

/// What a code stands for: itself, an entry of a table, or a number (which is no integer).
enum class CodeTable : uint8_t { none, iq4, e2m1, e4m3 };

/// Where the (upper) scales stand and how they are written.
enum class ScalePlace : uint8_t { block_f16, block_e8m0, block_e4m3, segment };

struct P16Format {
  int bits;       // 2, 3, 4, 5, 6 or 8
  int zero;       // value = scale * (code - zero); of tables: (entry - zero)
  int levels;     // 2: sub-scales per block, d per segment
  int subgroups;  // per block: 1 or 2, each with its scale (one level) or sub-scale
  bool offset;    // + offset (one level) or - dmin * sub-minimum (two levels)
  ScalePlace place = ScalePlace::block_f16;
  CodeTable table = CodeTable::none;
};

/// Entries as unsigned numbers, `zero` added. Source: ggml-common.h, kvalues_iq4nl, and
/// kvalues_mxfp4: E2M1 doubled.
alignas(16) constexpr uint8_t kIq4Entries[16] = {1,   24,  45,  63,  79,  93,  106, 118,
                                                 129, 141, 153, 166, 181, 197, 217, 241};
alignas(16) constexpr uint8_t kE2m1Entries[16] = {12, 13, 14, 15, 16, 18, 20, 24,
                                                  12, 11, 10, 9,  8,  6,  4,  0};
constexpr const uint8_t* entries_of(CodeTable table) {
  return table == CodeTable::iq4 ? kIq4Entries : kE2m1Entries;
}

constexpr P16Format p16_format(GroupedKind kind) {
  constexpr auto kSegment = ScalePlace::segment;
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
    case GroupedKind::iq4_nl:
      return {4, 128, 1, 1, false, ScalePlace::block_f16, CodeTable::iq4};
    case GroupedKind::mxfp4:
      return {4, 12, 1, 1, false, ScalePlace::block_e8m0, CodeTable::e2m1};
    case GroupedKind::q2_k:
      return {2, 0, 2, 2, true, kSegment};
    case GroupedKind::q3_k:
      return {3, 4, 2, 2, false, kSegment};
    case GroupedKind::q4_k:
      return {4, 0, 2, 1, true, kSegment};
    case GroupedKind::q5_k:
      return {5, 0, 2, 1, true, kSegment};
    case GroupedKind::q6_k:
      return {6, 32, 2, 2, false, kSegment};
    case GroupedKind::iq4_xs:
      return {4, 128, 2, 1, false, kSegment, CodeTable::iq4};
    case GroupedKind::q8_k:
      return {8, 128, 1, 1, false, kSegment};
    case GroupedKind::nvfp4:
      return {4, 12, 1, 2, false, ScalePlace::block_e4m3, CodeTable::e2m1};
    case GroupedKind::mxfp8:
      return {8, 0, 1, 1, false, ScalePlace::block_e8m0, CodeTable::e4m3};
    case GroupedKind::affine2:
      return {2, 0, 1, 1, true, kSegment};
    case GroupedKind::affine3:
      return {3, 0, 1, 1, true, kSegment};
    case GroupedKind::affine4:
      return {4, 0, 1, 1, true, kSegment};
    case GroupedKind::affine5:
      return {5, 0, 1, 1, true, kSegment};
    case GroupedKind::affine6:
      return {6, 0, 1, 1, true, kSegment};
    case GroupedKind::affine8:
    case GroupedKind::count:
      break;
  }
  return {8, 0, 1, 1, true, kSegment};
}

/// Sub-scales of 2 and 3 bits stand in pairs.
constexpr bool in_pairs(P16Format f) { return f.subgroups == 2 && f.bits < 4; }

/// Codes are numbers of floating point: there is no integer dot.
constexpr bool float_codes(P16Format f) { return f.table == CodeTable::e4m3; }

/// The sub-groups of a block have scales of their own, and each is a step of the chain.
constexpr bool two_scales(P16Format f) { return f.levels == 1 && f.subgroups == 2; }

/// Codes, or entries of their table, may be above 127.
constexpr bool wide_codes(P16Format f) { return f.bits == 8 || f.table == CodeTable::iq4; }

constexpr int64_t scale_bytes(ScaleType type) { return type == ScaleType::f32 ? 4 : 2; }

/// Bytes of the code lines and planes of a block.
constexpr int64_t code_bytes(P16Format f) { return int64_t{f.bits} * kBlock * kLanes / 8; }

/// Bytes of a block: codes, then its scales and offsets, or sub-scales.
constexpr int64_t block_bytes(P16Format f) {
  int64_t per_row = 0;
  if (f.place == ScalePlace::block_f16) per_row = f.offset ? 4 : 2;
  if (f.place == ScalePlace::block_e8m0 || f.place == ScalePlace::block_e4m3) per_row = f.subgroups;
  if (f.levels == 2) per_row = f.subgroups + (f.offset && !in_pairs(f) ? 1 : 0);
  return code_bytes(f) + kLanes * per_row;
}

/// Bytes behind the blocks of a segment: its scales, then offsets. `type` is theirs.
constexpr int64_t segment_tail_bytes(P16Format f, ScaleType type) {
  if (f.place != ScalePlace::segment) return 0;
  return kLanes * (f.offset ? 2 : 1) * scale_bytes(type);
}

/// Bytes of one panel, rounded up to whole 64-byte lines.
constexpr int64_t panel_bytes(P16Format f, ScaleType type, int64_t blocks, int64_t segments) {
  return (blocks * block_bytes(f) + segments * segment_tail_bytes(f, type) + 63) / 64 * 64;
}

}  // namespace colonnade::kernels
