// Logit bias and penalties: what is changed in the logits before a token is chosen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "colonnade/engine/sampling_options.h"

namespace colonnade {

/// Changes of one row of logits, as plain data: every rank makes them to its share. In this order,
/// for each token: bias is added; if it stands among the last tokens of prompt and answer, a
/// positive logit is divided and a negative one multiplied by the repetition penalty; if it stands
/// among the last tokens of the answer, the presence penalty is subtracted once, and the frequency
/// penalty times the number of its occurrences. All in f32. Source: Keskar et al. 2019, "CTRL",
/// section 4.1; OpenAI API reference, presence_penalty and frequency_penalty.
struct LogitChanges {
  struct Bias {
    int32_t id;
    float added;
  };
  struct Count {
    int32_t id;
    int32_t seen;       // occurrences in the window
    int32_t generated;  // of these, in the answer
  };

  std::vector<Bias> bias;
  std::vector<Count> counts;  // by rising id
  float repetition = 1.0F;
  float presence = 0.0F;
  float frequency = 0.0F;

  /// False when apply() would change nothing.
  bool any() const { return !bias.empty() || !counts.empty(); }
  /// Changes `logits` [V_r] of the tokens from `first_id` on.
  void apply(std::span<float> logits, int64_t first_id) const;
};

/// Follows an answer and knows the changes of its next row.
class Penalties {
 public:
  /// Options must be validated. "The last tokens" are the last options.repeat_last_n of prompt and
  /// answer together.
  Penalties(const SamplingOptions& options, std::span<const int32_t> prompt);

  /// One more token of the answer.
  void accept(int32_t token);

  const LogitChanges& changes() const { return changes_; }

 private:
  bool counts_tokens() const;
  void change_count(int32_t id, int32_t seen, int32_t generated);

  int32_t repeat_last_n_;
  LogitChanges changes_;
  std::vector<int32_t> history_;  // prompt, then answer
  size_t prompt_tokens_;
};

}  // namespace colonnade
