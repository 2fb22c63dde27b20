#include "colonnade/engine/ranking.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace colonnade {
namespace {

/// One pass of a stable radix sort by 11 bits of falling_order() from `shift` on.
void sort_by_digit(const Ranking& from, Ranking& to, int shift) {
  constexpr uint32_t kBins = 1u << 11;
  std::array<size_t, kBins> place{};
  const auto digit = [&](const Candidate& candidate) {
    return (falling_order(candidate.logit) >> shift) & (kBins - 1);
  };
  for (const Candidate& candidate : from) ++place[digit(candidate)];
  size_t next = 0;
  for (size_t& bin : place) {
    const size_t count = bin;
    bin = next;
    next += count;
  }
  for (const Candidate& candidate : from) to[place[digit(candidate)]++] = candidate;
}

}  // namespace

void sort_candidates(Ranking& candidates, Ranking& spare) {
  constexpr size_t kFew = 1000;  // below it a radix sort's bins cost more than comparing
  if (candidates.size() < kFew) {
    std::sort(candidates.begin(), candidates.end(), ahead);
    return;
  }
  spare.resize(candidates.size());
  sort_by_digit(candidates, spare, 0);
  sort_by_digit(spare, candidates, 11);
  sort_by_digit(candidates, spare, 22);
  candidates.swap(spare);
}

}  // namespace colonnade
