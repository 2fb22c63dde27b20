// What a run took, for the honest meters.
#pragma once

#include <cstdint>

namespace colonnade {

struct Timings {
  int64_t prompt_tokens = 0;  // computed
  int64_t cached_tokens = 0;  // of the prompt, found in the cache
  int64_t generated_tokens = 0;
  double prompt_s = 0;      // computing the prompt, until the first token is chosen
  double generation_s = 0;  // the tokens behind the first

  double prompt_tokens_per_s() const {
    return prompt_s > 0 ? static_cast<double>(prompt_tokens) / prompt_s : 0;
  }
  double generation_tokens_per_s() const {
    return generation_s > 0 && generated_tokens > 1
               ? static_cast<double>(generated_tokens - 1) / generation_s
               : 0;
  }
  /// Bytes read per second while generating, each step reading `bytes_per_token`.
  double read_bytes_per_s(int64_t bytes_per_token) const {
    return generation_tokens_per_s() * static_cast<double>(bytes_per_token);
  }
};

}  // namespace colonnade
