// What a request may say about how tokens are chosen. docs/sampling.md is the user's page.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace colonnade {

struct SamplingOptions {
  float temperature = 1.0F;         // 0: greedy, the largest logit
  int32_t top_k = 0;                // 0 or -1: off
  float top_p = 1.0F;               // 1: off; 0 keeps one token
  float min_p = 0.0F;               // 0: off; 1 keeps the largest logit and its equals
  float repetition_penalty = 1.0F;  // 1: off
  float presence_penalty = 0.0F;
  float frequency_penalty = 0.0F;
  int32_t repeat_last_n = -1;  // tokens that the penalties look back on; -1: all, 0: none
  std::vector<std::pair<int32_t, float>> logit_bias;  // token id, what is added; -infinity bans
  std::optional<uint64_t> seed;                       // nothing: a fresh one
};

/// Throws Error that names the field, its legal range and what came. `vocabulary` bounds the ids of
/// logit_bias.
void validate(const SamplingOptions& options, int64_t vocabulary);

}  // namespace colonnade
