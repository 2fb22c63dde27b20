// The order of tokens by their logits.
#pragma once

#include <cstdint>
#include <vector>

namespace colonnade {

struct Candidate {
  float logit = 0.0F;
  int32_t id = 0;
};

/// The order of candidates: logit descending, id ascending.
constexpr bool ahead(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

/// Tokens in order of ahead().
using Ranking = std::vector<Candidate>;

/// An integer that rises as the logit falls; equal logits (0 and -0 too) have equal ones. Not for
/// NaN.
constexpr uint32_t falling_order(float logit) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, logit + 0.0F);  // -0 becomes 0
  return (bits & 0x80000000u) != 0 ? bits : ~bits & 0x7fffffffu;
}

/// The logit whose falling_order() is `order`.
constexpr float logit_of_order(uint32_t order) {
  return __builtin_bit_cast(float, (order & 0x80000000u) != 0 ? order : ~order & 0x7fffffffu);
}

/// Sorts candidates among which those with equal logits already stand in order of their ids.
/// `spare` is memory to work in.
void sort_candidates(Ranking& candidates, Ranking& spare);

}  // namespace colonnade
