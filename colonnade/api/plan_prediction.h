// How fast a plan would decode, predicted from bandwidths and a link: arithmetic, no measurement.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "colonnade/api/plan.h"

namespace colonnade {

/// What carries messages from rank to rank.
struct Link {
  std::string_view name;
  double latency_s = 0;    // one way, from program to program
  double bytes_per_s = 0;  // of a rank, each way
  enum Between : uint8_t {
    cores,     // of one machine: the ranks share its memory and its bandwidth
    devices,   // with memory of their own, which nothing here can measure
    machines,  // each with its own memory
  } between = cores;
};

/// Those that --link names. docs/parallelism.md has the figures and where they are from.
std::span<const Link> known_links();

/// Null when there is none.
const Link* find_link(std::string_view name);

/// Every rank gives `bytes` to all `ranks`. In one shot each sends all of it to every other; a sum
/// can also be taken in two (everybody sums a part, then gathers), and the faster one counts.
double exchange_seconds(const Link& link, Exchange::Kind kind, int ranks, int64_t bytes);

struct Prediction {
  double read_s = 0;      // the slowest rank reads its weights and cache
  double exchange_s = 0;  // all exchanges of a token

  double tokens_per_s() const { return 1 / (read_s + exchange_s); }
};

/// One token behind `positions` others; rank r reads `bytes_per_s[r]`. Throws Error unless there is
/// one bandwidth above 0 for each rank.
Prediction predict_decode(const ModelPlan& plan, const Link& link,
                          const std::vector<double>& bytes_per_s, int64_t positions);

}  // namespace colonnade
