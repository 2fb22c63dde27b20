#include "colonnade/engine/stop.h"

#include <algorithm>
#include <utility>

#include "colonnade/base/error.h"

namespace colonnade {

const char* name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::none:
      return "";
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
  }
  return "";
}

StopStrings::StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {
  for (size_t i = 0; i < strings_.size(); ++i) {
    CN_CHECK(!strings_[i].empty(), "stop: string ", i,
             ": expected at least one character, got none");
  }
}

std::string StopStrings::push(std::string_view piece) {
  if (matched_) return "";
  held_ += piece;
  size_t first_end = std::string::npos;
  size_t begin = 0;
  for (const std::string& stop : strings_) {
    const size_t found = held_.find(stop);
    if (found == std::string::npos) continue;
    const size_t end = found + stop.size();
    if (end < first_end || (end == first_end && found < begin)) {
      first_end = end;
      begin = found;
    }
  }
  matched_ = first_end != std::string::npos;
  const size_t certain = matched_ ? begin : held_.size() - held_bytes();
  std::string text = held_.substr(0, certain);
  held_.erase(0, matched_ ? held_.size() : certain);
  return text;
}

/// The longest end of the text that is a beginning of a stop string.
size_t StopStrings::held_bytes() const {
  size_t longest = 0;
  for (const std::string& stop : strings_) {
    const size_t most = std::min(stop.size() - 1, held_.size());
    for (size_t size = most; size > longest; --size) {
      if (held_.compare(held_.size() - size, size, stop, 0, size) == 0) longest = size;
    }
  }
  return longest;
}

std::string StopStrings::flush() { return std::exchange(held_, std::string()); }

StopCondition::StopCondition(StopOptions options)
    : options_(std::move(options)), strings_(options_.strings) {
  CN_CHECK(!options_.max_tokens || *options_.max_tokens >= 0,
           "max_tokens: expected 0 or more, got ", options_.max_tokens.value_or(0));
}

bool StopCondition::is_stop_token(int32_t token) const {
  return std::find(options_.token_ids.begin(), options_.token_ids.end(), token) !=
         options_.token_ids.end();
}

StopCondition::Step StopCondition::push(int32_t token, std::string_view piece) {
  ++tokens_;
  if (is_stop_token(token)) return {strings_.flush(), FinishReason::stop};
  std::string text = strings_.push(piece);
  if (strings_.matched()) return {std::move(text), FinishReason::stop};
  if (!at_limit()) return {std::move(text), FinishReason::none};
  text += strings_.flush();
  return {std::move(text), FinishReason::length};
}

}  // namespace colonnade
