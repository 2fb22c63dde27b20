#include "colonnade/engine/sampling_options.h"

#include <cmath>

#include "colonnade/base/error.h"

namespace colonnade {

void validate(const SamplingOptions& options, int64_t vocabulary) {
  const auto check = [](bool legal, const char* field, const char* range, auto value) {
    CN_CHECK(legal, field, ": expected ", range, ", got ", value);
  };
  const auto within_0_and_1 = [](float value) { return value >= 0.0F && value <= 1.0F; };

  check(std::isfinite(options.temperature) && options.temperature >= 0.0F, "temperature",
        "0 (greedy) or a finite number above 0", options.temperature);
  check(options.top_k >= -1, "top_k", "a number of tokens, or 0 or -1 (off)", options.top_k);
  check(within_0_and_1(options.top_p), "top_p", "0 (one token) to 1 (off)", options.top_p);
  check(within_0_and_1(options.min_p), "min_p", "0 (off) to 1", options.min_p);
  check(std::isfinite(options.repetition_penalty) && options.repetition_penalty > 0.0F,
        "repetition_penalty", "a finite number above 0 (1 is off)", options.repetition_penalty);
  check(std::isfinite(options.presence_penalty), "presence_penalty", "a finite number (0 is off)",
        options.presence_penalty);
  check(std::isfinite(options.frequency_penalty), "frequency_penalty", "a finite number (0 is off)",
        options.frequency_penalty);
  check(options.repeat_last_n >= -1, "repeat_last_n", "a number of tokens, 0 (none) or -1 (all)",
        options.repeat_last_n);
  for (const auto& [id, bias] : options.logit_bias) {
    CN_CHECK(id >= 0 && id < vocabulary, "logit_bias: expected token ids from 0 to ",
             vocabulary - 1, ", got ", id);
    CN_CHECK(std::isfinite(bias) || bias < 0.0F, "logit_bias: token ", id,
             ": expected a finite number or -inf (never), got ", bias);
  }
}

}  // namespace colonnade
