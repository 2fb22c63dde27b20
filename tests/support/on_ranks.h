// Runs something as every rank of a group of threads.
#pragma once

#include <vector>

#include "tests/support/bits.h"

#include "colonnade/base/error.h"
#include "colonnade/comm/thread_ranks.h"

namespace colonnade::test {

/// `f(group)` of every rank, by rank.
template <typename F>
std::vector<std::vector<float>> each_rank(int ranks, const F& f) {
  std::vector<std::vector<float>> results(static_cast<size_t>(ranks));
  run_as_threads(ranks,
                 [&](Group& group) { results[static_cast<size_t>(group.rank())] = f(group); });
  return results;
}

/// The same of something that all ranks must hold the same bits of.
template <typename F>
std::vector<float> on_ranks(int ranks, const F& f) {
  const std::vector<std::vector<float>> results = each_rank(ranks, f);
  for (const std::vector<float>& result : results)
    CN_CHECK(same_bits(result, results.front()), "ranks differ");
  return results.front();
}

}  // namespace colonnade::test
