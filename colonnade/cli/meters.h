// What a run took: the line at the end, and the same as JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "colonnade/api/row_items.h"
#include "colonnade/api/session.h"
#include "colonnade/cli/terminal.h"

namespace colonnade::cli {

/// Tokens and times of several answers together.
Timings add(const Timings& a, const Timings& b);

/// Shows on `bar`, which has to outlive it, how far a prompt of several chunks is. It throws
/// Interrupted.
OnPrompt prompt_meter(ProgressLine& bar);

/// The same of bytes: "writing m.gguf".
OnBytes bytes_meter(ProgressLine& bar, std::string label);

/// "prompt 25 tokens, 310.2/s; 64 generated, 41.3/s: 4.05 GB/s of weights, 84 % of the 4.82 that 2
/// threads read here". Measures the bandwidth, unless nothing was generated.
std::string speed_line(Session& session, const Timings& timings);

/// "loaded 0.54 GB in 0.21 s: 2.56 GB/s, 29 % of the 8.90 GB/s that 1 thread reads of these files;
/// 66 % of the time packing". Measures what it reads.
std::string load_line(Session& session);

/// What loading took, for the JSON of a run: load_bytes, load_ms, load_packing_share.
nlohmann::ordered_json load_json(const Session& session);

/// prompt_n, prompt_ms, prompt_per_second, cached_n, predicted_n, predicted_ms,
/// predicted_per_second, bytes_per_token, read_gbs.
nlohmann::ordered_json timings_json(const Session& session, const Timings& timings);

}  // namespace colonnade::cli
