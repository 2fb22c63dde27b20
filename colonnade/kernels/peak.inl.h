// What the instruction set can do at most: loops of nothing but its FMA, its integer dot, its
// loads. The meters divide by them.
#pragma once

#include "colonnade/kernels/unroll.inl.h"

namespace colonnade::kernels::CN_ISA {

// Chains in flight: 2 a cycle x 5 cycles of latency = 10 registers; where a vector is two registers
// half as many vectors.
constexpr int kPeakChains = kDensePanels == 1 ? 6 : 12;

// What a compiler adds around a round must not show.
constexpr int kPeakUnroll = kDotIsOneInstruction ? 4 : 1;

inline int64_t fma_peak(int64_t rounds, float* sink) noexcept {
  const F32x16 a = load(sink), b = load(sink + kLanes);
  F32x16 acc[kPeakChains];
  repeat<kPeakChains>(
      CN_UNROLLED(auto i) { acc[i] = load(sink + i); });  // equal chains would merge
  for (int64_t round = 0; round < rounds; ++round) {
    repeat<kPeakChains>(CN_UNROLLED(auto i) { acc[i] = fma(a, b, acc[i]); });
  }
  repeat<kPeakChains>(CN_UNROLLED(auto i) { store(sink, add(load(sink), acc[i])); });
  return rounds * kPeakChains * kLanes * 2;
}

/// One activation quad for all chains, in a register; but where the dot is several instructions,
/// one quad per chain, else those that do not depend on the accumulator would be shared.
inline int64_t dot_peak(int64_t rounds, float* sink) noexcept {
  const auto* q = reinterpret_cast<const int8_t*>(sink);
  const U8x64 codes = shift_mask<0>(load_codes(reinterpret_cast<const uint8_t*>(sink)), 0x0f);
  I32x16 acc[kPeakChains];
  repeat<kPeakChains>(CN_UNROLLED(auto i) { acc[i] = splat(int{i}); });
  for (int64_t round = 0; round < rounds; ++round) {
    asm volatile("" : "+r"(q));  // so that the quads are read again in every round
    repeat<kPeakUnroll>(CN_UNROLLED(auto) {
      repeat<kPeakChains>(CN_UNROLLED(auto i) {
        acc[i] = dot7(acc[i], codes, q + (kDotIsOneInstruction ? 0 : 4 * i));
      });
    });
  }
  repeat<kPeakChains>(CN_UNROLLED(auto i) { store(sink, add(load(sink), to_f32(acc[i]))); });
  return rounds * kPeakUnroll * kPeakChains * 64 * 2;
}

inline void read_all(const uint8_t* p, int64_t bytes, float* sink) noexcept {
  U8x64 acc[4];
  repeat<4>(CN_UNROLLED(auto i) { acc[i] = load_codes(p + 64 * i); });
  for (int64_t at = 0; at + 256 <= bytes; at += 256) {
    repeat<4>(CN_UNROLLED(auto i) { acc[i] = bor(acc[i], load_codes(p + at + 64 * i)); });
  }
  repeat<4>(CN_UNROLLED(auto i) {
    alignas(64) uint8_t folded[64];
    store_codes(folded, acc[i]);
    sink[i] = static_cast<float>(folded[i]);
  });
}

}  // namespace colonnade::kernels::CN_ISA
