#include "colonnade/engine/penalties.h"

#include <algorithm>

namespace colonnade {

Penalties::Penalties(const SamplingOptions& options, std::span<const int32_t> prompt)
    : options_(options), prompt_tokens_(prompt.size()) {
  if (!counts_tokens()) return;
  history_.assign(prompt.begin(), prompt.end());
  const size_t window =
      options_.repeat_last_n < 0 ? prompt.size() : static_cast<size_t>(options_.repeat_last_n);
  const size_t begin = prompt.size() - std::min(prompt.size(), window);
  for (size_t i = begin; i < prompt.size(); ++i) change_count(prompt[i], 1, 0);
}

bool Penalties::counts_tokens() const {
  return options_.repeat_last_n != 0 &&
         (options_.repetition_penalty != 1.0F || options_.presence_penalty != 0.0F ||
          options_.frequency_penalty != 0.0F);
}

bool Penalties::active() const { return !options_.logit_bias.empty() || counts_tokens(); }

void Penalties::change_count(int32_t id, int32_t seen, int32_t generated) {
  auto place =
      std::lower_bound(counts_.begin(), counts_.end(), id,
                       [](const Count& count, int32_t wanted) { return count.id < wanted; });
  if (place == counts_.end() || place->id != id) place = counts_.insert(place, {id, 0, 0});
  place->seen += seen;
  place->generated += generated;
}

void Penalties::accept(int32_t token) {
  if (!counts_tokens()) return;
  history_.push_back(token);
  change_count(token, 1, 1);
  if (options_.repeat_last_n < 0) return;
  const auto window = static_cast<size_t>(options_.repeat_last_n);
  if (history_.size() <= window) return;
  const size_t leaving = history_.size() - window - 1;
  change_count(history_[leaving], -1, leaving >= prompt_tokens_ ? -1 : 0);
}

void Penalties::apply(std::span<float> logits, int64_t first_id) const {
  const auto last_id = first_id + static_cast<int64_t>(logits.size());
  const auto logit_of = [&](int32_t id) -> float* {
    return id >= first_id && id < last_id ? &logits[static_cast<size_t>(id - first_id)] : nullptr;
  };
  for (const auto& [id, bias] : options_.logit_bias) {
    if (float* logit = logit_of(id)) *logit += bias;
  }
  for (const Count& count : counts_) {
    float* logit = logit_of(count.id);
    if (logit == nullptr || count.seen == 0) continue;
    *logit =
        *logit > 0.0F ? *logit / options_.repetition_penalty : *logit * options_.repetition_penalty;
    if (count.generated == 0) continue;
    *logit -= options_.presence_penalty;
    *logit -= options_.frequency_penalty * static_cast<float>(count.generated);
  }
}

}  // namespace colonnade
