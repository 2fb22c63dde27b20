// What a run took: the line at the end, and the same as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "colonnade/api/session.h"
#include "colonnade/cli/terminal.h"

namespace colonnade::cli {

/// Tokens and times of several answers together.
Timings add(const Timings& a, const Timings& b);

/// Shows on `bar`, which has to outlive it, how far a prompt of several chunks is. It throws
/// Interrupted.
OnPrompt prompt_meter(ProgressLine& bar);

/// "prompt 25 tokens, 310.2/s; 64 generated, 41.3/s: 4.05 GB/s of weights, 84 % of the 4.82 that 2
/// threads read here". Measures the bandwidth, unless nothing was generated.
std::string speed_line(Session& session, const Timings& timings);

/// prompt_n, prompt_ms, prompt_per_second, cached_n, predicted_n, predicted_ms,
/// predicted_per_second, bytes_per_token, read_gbs.
nlohmann::ordered_json timings_json(const Session& session, const Timings& timings);

}  // namespace colonnade::cli
