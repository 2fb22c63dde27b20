// Bits of ggml's blocks: nibbles, pairs and single bits that stand apart in a file, as codes of a
// byte each, and the sub-scales of K-quants. Source: the block structures of ggml-common.h
// (layouts, not code).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "colonnade/base/turn_square.h"

namespace colonnade::ggml_bits {

/// codes[i] = low nibble of in[i], codes[n + i] = its high nibble. n is a multiple of 16: plain
/// loops that gcc turns into vectors because their length is known.
template <int n>
inline void split_nibbles(const uint8_t* __restrict in, uint8_t* __restrict codes) {
  for (int i = 0; i < n; ++i) codes[i] = in[i] & 15;
  for (int i = 0; i < n; ++i) codes[n + i] = in[i] >> 4;
}

inline Words4 load_words(const uint8_t* bytes) {
  Words4 words;
  std::memcpy(&words, bytes, sizeof words);
  return words;
}

inline void store_words(uint8_t* bytes, Words4 words) { std::memcpy(bytes, &words, sizeof words); }

/// f(0), ... f(kCount - 1), written out: shifts by constants, and no loop.
template <typename F, int... kIndex>
[[gnu::always_inline]] inline void for_each_of(const F& f, std::integer_sequence<int, kIndex...>) {
  (f(std::integral_constant<int, kIndex>{}), ...);
}
template <int kCount, typename F>
[[gnu::always_inline]] inline void for_each_of(const F& f) {
  for_each_of(f, std::make_integer_sequence<int, kCount>());
}

/// Bits [shift, shift + kCount) of each byte. By words: bytes have no shifts of their own.
template <int kCount>
inline Words4 bits_of(Words4 words, int shift) {
  constexpr uint32_t kMask = ((1u << kCount) - 1) * 0x01010101u;
  return words >> shift & kMask;
}

/// 256 codes of two bits: bits 2g, 2g + 1 of byte i of either half's 32 bytes belong to element i
/// of its quarter g.
inline void split_pairs(const uint8_t* in, uint8_t* codes) {
  for (int half = 0; half < 2; ++half, in += 32, codes += 128) {
    const Words4 first = load_words(in), second = load_words(in + 16);
    for_each_of<4>([&](auto g) {
      store_words(codes + 32 * g, bits_of<2>(first, 2 * g));
      store_words(codes + 32 * g + 16, bits_of<2>(second, 2 * g));
    });
  }
}

/// The same with a third bit above: bit g of byte i of `third`, [32], belongs to element i of group
/// g of 32.
inline void split_pairs(const uint8_t* in, const uint8_t* third, uint8_t* codes) {
  split_pairs(in, codes);
  const Words4 first = load_words(third), second = load_words(third + 16);
  for_each_of<8>([&](auto g) {
    uint8_t* group = codes + 32 * g;
    store_words(group, load_words(group) | bits_of<1>(first, g) << 2);
    store_words(group + 16, load_words(group + 16) | bits_of<1>(second, g) << 2);
  });
}

/// codes[i] += 16 where bit i of the 32 bits at `bits` is set.
inline void add_fifth_bits(const uint8_t* bits, uint8_t* codes) {
  for (int i = 0; i < 4; ++i) {
    // The byte eight times, bit j kept in byte j; + 0x7f carries any set bit to bit 7, which then
    // becomes bit 4.
    const uint64_t spread = (bits[i] * 0x0101010101010101u) & 0x8040201008040201u;
    const uint64_t fifth = ((spread + 0x7f7f7f7f7f7f7f7fu) & 0x8080808080808080u) >> 3;
    uint64_t eight;
    std::memcpy(&eight, codes + 8 * i, sizeof eight);
    eight |= fifth;
    std::memcpy(codes + 8 * i, &eight, sizeof eight);
  }
}

/// The second level of a block.
struct SubScales {
  int8_t scales[16];
  uint8_t offsets[16];
};

/// Eight 6-bit sub-scales and eight 6-bit sub-minimums in 12 bytes: byte j holds scale j, byte 4 +
/// j minimum j (j < 4) in its lower six bits; byte 8 + j holds the lower halves of scale and
/// minimum 4 + j, whose upper two bits are the upper two bits of bytes j and 4 + j.
inline SubScales unpack_sub_scales(const uint8_t* in) {
  constexpr uint32_t kLow = 0x0f0f0f0f, kHigh = 0x30303030, kSix = 0x3f3f3f3f;
  uint32_t scales, offsets, halves;  // a byte each, four at a time
  std::memcpy(&scales, in, 4);
  std::memcpy(&offsets, in + 4, 4);
  std::memcpy(&halves, in + 8, 4);
  const uint32_t all_scales[2] = {scales & kSix, (halves & kLow) | (scales >> 2 & kHigh)};
  const uint32_t all_offsets[2] = {offsets & kSix, (halves >> 4 & kLow) | (offsets >> 2 & kHigh)};
  SubScales out;
  std::memcpy(out.scales, all_scales, sizeof all_scales);
  std::memcpy(out.offsets, all_offsets, sizeof all_offsets);
  return out;
}

/// Sixteen 6-bit sub-scales, less 32, in 12 bytes: byte j % 8 has the lower four bits of j in its
/// lower (j < 8) or upper half, byte 8 + j % 4 the upper two at bit 2 (j / 4).
inline SubScales unpack_signed_sub_scales(const uint8_t* in) {
  uint32_t low[2], high;
  std::memcpy(low, in, sizeof low);
  std::memcpy(&high, in + 8, sizeof high);
  const Words4 halves = {low[0], low[1], low[0] >> 4, low[1] >> 4};
  const Words4 pairs = {high, high >> 2, high >> 4, high >> 6};
  const Words4 words = (halves & 0x0f0f0f0fu) | (pairs & 0x03030303u) << 4;
  const auto scales = reinterpret_cast<Bytes16>(words) - static_cast<uint8_t>(32);
  SubScales out;
  std::memcpy(out.scales, &scales, sizeof out.scales);
  return out;
}

}  // namespace colonnade::ggml_bits
