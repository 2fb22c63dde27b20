// Replay: computes again what a receipt says was computed, and compares bits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "colonnade/api/receipt.h"
#include "colonnade/api/session.h"

namespace colonnade {

/// What a receipt was made with and what there is here.
struct Mismatch {
  std::string what;  // "weights", "numerics"
  std::string expected, got;
  std::string advice;
};

/// Another version of the arithmetic gives other bits.
std::optional<Mismatch> numerics_mismatch(const Receipt& receipt);
/// Other weights do too. Sizes are compared before the files are read; `on_block` as in
/// digest_files().
std::optional<Mismatch> weights_mismatch(const Receipt& receipt, const std::vector<File>& files,
                                         const DigestProgress& on_block);

/// Throws Error that begins with `where` and names the field if the receipt speaks of tokens or
/// positions that the model does not have.
void check_fits(const Receipt& receipt, const std::string& where, const ModelDescription& model);

struct ReplayDifference {
  int64_t step = 0;  // 0: the first token, chosen from what the prompt gave
  enum class In : uint8_t { logits, token } in = In::logits;
  std::string expected, got;  // digests, or ids
};

struct Replay {
  int64_t steps = 0;  // whose bits were the same
  std::optional<ReplayDifference> difference;
};

/// Generates with the receipt's request until a step differs. The session must have the receipt's
/// precision and cache type. `on_progress` is called behind every chunk and token; what it throws
/// ends the replay.
Replay replay(Session& session, const Receipt& receipt, const std::function<void()>& on_progress);

}  // namespace colonnade
