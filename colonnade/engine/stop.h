// When an answer ends: stop tokens, stop strings, the largest number of tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colonnade {

enum class FinishReason : uint8_t { none, stop, length };

/// "stop", "length" as the OpenAI API spells them; "" for none.
const char* name_of(FinishReason reason);

/// Finds stop strings in text that comes in pieces. Of several matches the one that is complete
/// first wins, of those that end together the longest, so how the text is cut into pieces changes
/// nothing.
class StopStrings {
 public:
  /// Throws Error if a string is empty.
  explicit StopStrings(std::vector<std::string> strings);

  /// What of the text so far is certain to stand before any match and was not returned yet. A piece
  /// must hold whole code points.
  std::string push(std::string_view piece);

  /// Whether a match is complete. The text ends before it; push() returns nothing any more.
  bool matched() const { return matched_; }

  /// What is held back as the beginning of a match, when no more text comes.
  std::string flush();

 private:
  size_t held_bytes() const;

  std::vector<std::string> strings_;
  std::string held_;  // the end of the text: the beginning of some stop string
  bool matched_ = false;
};

struct StopOptions {
  std::vector<std::string> strings;
  std::vector<int32_t> token_ids;     // the model's end of turn, and what the request adds
  std::optional<int64_t> max_tokens;  // nothing: no limit
};

/// Decides after every token of one answer.
class StopCondition {
 public:
  /// Throws Error if a stop string is empty or max_tokens is negative.
  explicit StopCondition(StopOptions options);

  struct Step {
    std::string text;  // to be shown now
    FinishReason reason = FinishReason::none;
  };

  /// Whether `token` ends the answer; it then has no text.
  bool is_stop_token(int32_t token) const;

  /// One more token, whose text is `piece` (whole code points; ignored for a stop token). A match
  /// or a stop token wins over the limit. When a reason is given, all text has been returned.
  Step push(int32_t token, std::string_view piece);

  /// Whether the limit is reached already, as with max_tokens 0.
  bool at_limit() const { return options_.max_tokens && tokens_ >= *options_.max_tokens; }

  /// Text held back, for an answer that ends for another reason (context full, cancelled).
  std::string flush() { return strings_.flush(); }

  int64_t tokens() const { return tokens_; }

 private:
  StopOptions options_;
  StopStrings strings_;
  int64_t tokens_ = 0;
};

}  // namespace colonnade
