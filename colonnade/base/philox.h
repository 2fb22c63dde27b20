// Philox 4x32-10, the counter-based generator behind sampling and random weights: no state, any
// draw in any order. Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as
// 1, 2, 3", section 3.3 and table 2.
#pragma once

#include <array>
#include <cstdint>

namespace colonnade {

/// The four random words of `counter` under `key`: a bijection of the counter for every key.
constexpr std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                             std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9u;  // golden ratio
    key[1] += 0xBB67AE85u;  // sqrt(3) - 1
  }
  return counter;
}

/// The key of a 64-bit seed.
constexpr std::array<uint32_t, 2> philox_key(uint64_t seed) {
  return {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
}

}  // namespace colonnade
