// Logit bias and penalties: what is changed in the logits before a token is chosen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/engine/sampling_options.h"

namespace colonnade {

/// In this order, for each token: bias is added; if it stands among the last tokens of prompt and
/// answer, a positive logit is divided and a negative one multiplied by the repetition penalty; if
/// it stands among the last tokens of the answer, the presence penalty is subtracted once, and the
/// frequency penalty times the number of its occurrences. All in f32. Source: Keskar et al. 2019,
/// "CTRL", section 4.1; OpenAI API reference, presence_penalty and frequency_penalty.
class Penalties {
 public:
  /// Options must be validated. "The last tokens" are the last options.repeat_last_n of prompt and
  /// answer together.
  Penalties(const SamplingOptions& options, std::span<const int32_t> prompt);

  /// False when apply() would change nothing.
  bool active() const;

  /// One more token of the answer.
  void accept(int32_t token);

  /// Changes `logits` [V_r] of the tokens from `first_id` on.
  void apply(std::span<float> logits, int64_t first_id) const;

 private:
  struct Count {
    int32_t id;
    int32_t seen;       // occurrences in the window
    int32_t generated;  // of these, in the answer
  };

  bool counts_tokens() const;
  void change_count(int32_t id, int32_t seen, int32_t generated);

  SamplingOptions options_;
  std::vector<Count> counts_;     // by rising id
  std::vector<int32_t> history_;  // prompt, then answer
  size_t prompt_tokens_;
};

}  // namespace colonnade
