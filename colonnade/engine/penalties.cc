#include "colonnade/engine/penalties.h"

#include <algorithm>

namespace colonnade {

Penalties::Penalties(const SamplingOptions& options, std::span<const int32_t> prompt)
    : repeat_last_n_(options.repeat_last_n), prompt_tokens_(prompt.size()) {
  for (const auto& [id, added] : options.logit_bias) changes_.bias.push_back({id, added});
  changes_.repetition = options.repetition_penalty;
  changes_.presence = options.presence_penalty;
  changes_.frequency = options.frequency_penalty;
  if (!counts_tokens()) return;
  history_.assign(prompt.begin(), prompt.end());
  const size_t window = repeat_last_n_ < 0 ? prompt.size() : static_cast<size_t>(repeat_last_n_);
  const size_t begin = prompt.size() - std::min(prompt.size(), window);
  for (size_t i = begin; i < prompt.size(); ++i) change_count(prompt[i], 1, 0);
}

bool Penalties::counts_tokens() const {
  return repeat_last_n_ != 0 &&
         (changes_.repetition != 1.0F || changes_.presence != 0.0F || changes_.frequency != 0.0F);
}

void Penalties::change_count(int32_t id, int32_t seen, int32_t generated) {
  using Count = LogitChanges::Count;
  std::vector<Count>& counts = changes_.counts;
  auto place =
      std::lower_bound(counts.begin(), counts.end(), id,
                       [](const Count& count, int32_t wanted) { return count.id < wanted; });
  if (place == counts.end() || place->id != id) place = counts.insert(place, {id, 0, 0});
  place->seen += seen;
  place->generated += generated;
}

void Penalties::accept(int32_t token) {
  if (!counts_tokens()) return;
  history_.push_back(token);
  change_count(token, 1, 1);
  if (repeat_last_n_ < 0) return;
  const auto window = static_cast<size_t>(repeat_last_n_);
  if (history_.size() <= window) return;
  const size_t leaving = history_.size() - window - 1;
  change_count(history_[leaving], -1, leaving >= prompt_tokens_ ? -1 : 0);
}

void LogitChanges::apply(std::span<float> logits, int64_t first_id) const {
  const auto last_id = first_id + static_cast<int64_t>(logits.size());
  const auto logit_of = [&](int32_t id) -> float* {
    return id >= first_id && id < last_id ? &logits[static_cast<size_t>(id - first_id)] : nullptr;
  };
  for (const Bias& one : bias) {
    if (float* logit = logit_of(one.id)) *logit += one.added;
  }
  for (const Count& count : counts) {
    float* logit = logit_of(count.id);
    if (logit == nullptr || count.seen == 0) continue;
    *logit = *logit > 0.0F ? *logit / repetition : *logit * repetition;
    if (count.generated == 0) continue;
    *logit -= presence;
    *logit -= frequency * static_cast<float>(count.generated);
  }
}

}  // namespace colonnade
