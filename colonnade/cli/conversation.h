// The messages of a chat and the model that answers them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/api/session.h"
#include "colonnade/cli/options.h"

namespace colonnade::cli {

class Conversation {
 public:
  /// `session` must outlive it. `system` is the system message; empty: none, the template decides.
  Conversation(Session& session, const AnswerOptions& options, std::string system);

  /// Adds the user's turn and the model's answer; `show` gets the text as it comes. An answer that
  /// Ctrl-C stopped stays as far as it came. Throws, and forgets the turn: UsageError if the text
  /// is not UTF-8, the template refuses the conversation (in its own words), or it no longer fits
  /// the context; what `on_prompt` throws.
  FinishReason answer(std::string_view text, const std::function<void(std::string_view)>& show,
                      OnPrompt on_prompt);

  void set_system(std::string text) { system_ = std::move(text); }
  /// Forgets all turns, keeps the system message.
  void reset() { turns_.clear(); }
  bool empty() const { return turns_.empty(); }
  /// A list of {"role", "content"}.
  std::string to_json() const;
  /// Of all answers so far.
  const Timings& timings() const { return timings_; }

 private:
  std::vector<text::ChatMessage> messages() const;
  std::vector<int32_t> prompt() const;

  Session& session_;
  const AnswerOptions& options_;
  std::string system_;
  std::vector<text::ChatMessage> turns_;
  Timings timings_;
};

}  // namespace colonnade::cli
