// Codes of a block into the lines of a panel, four or eight rows at a time. Layout: kernels/p16.h.
//
// A lane of a vector is four elements along K of one row, the lowest byte first (little-endian, as
// every target here). `to` points at the first row's four bytes of the block's first line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "colonnade/base/turn_square.h"

namespace colonnade::panel_codes {

constexpr int64_t kLine = 64;
constexpr uint32_t kLow = 0x0f0f0f0f;
constexpr uint32_t kHigh = 0xf0f0f0f0;

[[gnu::always_inline]] inline void put_line(uint8_t* to, int line, Words4 words) {
  std::memcpy(to + kLine * line, &words, sizeof words);
}

/// Bits [kShift, kShift + 2) of each code as two lines: bits 2j and 2j + 1 of the line's bytes are
/// quad j of its 16 elements. Written out, as the following: loops would keep quads in memory.
template <int kShift, size_t... kHalf>
[[gnu::always_inline]] inline void put_two_bit_plane(const Words4* q, uint8_t* to,
                                                     std::index_sequence<kHalf...>) {
  const auto bits = [q](size_t j) { return q[j] >> kShift & 0x03030303u; };
  (put_line(to, kHalf,
            bits(4 * kHalf) | bits(4 * kHalf + 1) << 2 | bits(4 * kHalf + 2) << 4 |
                bits(4 * kHalf + 3) << 6),
   ...);
}

/// Bit kShift of each code as one line: bit j of its bytes is quad j.
template <int kShift, size_t... kQuad>
[[gnu::always_inline]] inline void put_one_bit_plane(const Words4* q, uint8_t* to,
                                                     std::index_sequence<kQuad...>) {
  put_line(to, 0, (((q[kQuad] >> kShift & 0x01010101u) << kQuad) | ...));
}

template <size_t... kLineIndex>
[[gnu::always_inline]] inline void put_nibbles(const Words4* q, uint8_t* to,
                                               std::index_sequence<kLineIndex...>) {
  (put_line(to, kLineIndex, (q[2 * kLineIndex] & kLow) | (q[2 * kLineIndex + 1] & kLow) << 4), ...);
}

/// The 32 codes of a block, of which quads[j] are elements 4j to 4j + 3.
template <int kBits>
[[gnu::always_inline]] inline void put_codes(const Words4* quads, uint8_t* to) {
  constexpr std::make_index_sequence<2> kTwo;
  constexpr std::make_index_sequence<8> kQuads;
  if constexpr (kBits < 4) {
    put_two_bit_plane<0>(quads, to, kTwo);
    if constexpr (kBits == 3) put_one_bit_plane<2>(quads, to + kLine * 2, kQuads);
  } else {
    put_nibbles(quads, to, std::make_index_sequence<4>());
    if constexpr (kBits == 5) put_one_bit_plane<4>(quads, to + kLine * 4, kQuads);
    if constexpr (kBits == 6) put_two_bit_plane<4>(quads, to + kLine * 4, kTwo);
  }
}

/// The same from the upper halves of bytes whose lower ones are another block.
template <size_t... kLineIndex>
[[gnu::always_inline]] inline void put_upper_nibbles(const Words4* q, uint8_t* to,
                                                     std::index_sequence<kLineIndex...>) {
  (put_line(to, kLineIndex, (q[2 * kLineIndex] >> 4 & kLow) | (q[2 * kLineIndex + 1] & kHigh)),
   ...);
}

/// CodeOrder::halves_32, 16 bytes per row.
[[gnu::always_inline]] inline void put_halves_32(const Words4* q, uint8_t* to) {
  constexpr std::make_index_sequence<2> kTwo;
  put_nibbles(q, to, kTwo);
  put_upper_nibbles(q, to + 2 * kLine, kTwo);
}

template <size_t... kQuad>
[[gnu::always_inline]] inline void flip_signs(Floats8* q, std::index_sequence<kQuad...>) {
  typedef uint32_t Words8 __attribute__((vector_size(32)));
  ((q[kQuad] = reinterpret_cast<Floats8>(reinterpret_cast<Words8>(q[kQuad]) ^ 0x80808080u)), ...);
}

/// CodeOrder::flipped, eight rows, `stride` bytes from one to the next.
[[gnu::always_inline]] inline void put_flipped(const uint8_t* codes, int64_t stride, uint8_t* to) {
  Floats8 quads[8];
  load_turned_8(codes, stride, quads);
  flip_signs(quads, std::make_index_sequence<8>());
  store_8(quads, to, kLine);
}

}  // namespace colonnade::panel_codes
