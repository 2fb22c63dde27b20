// Chat templates: a model's own Jinja program that turns messages into the text it was trained on.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "colonnade/text/template_error.h"
#include "colonnade/text/text_span.h"

namespace colonnade::text {

struct ChatMessage {
  std::string role;
  std::string content;
};

/// Bounds on one rendering; templates come with model files and are not trusted to end.
struct TemplateLimits {
  int64_t steps = 50'000'000;               // about a second or two
  int64_t memory_bytes = int64_t{1} << 28;  // strings, lists and output together
};

/// What a template sees besides the messages. Nothing is copied: the JSON outlives the call to
/// render.
struct ChatInput {
  bool add_generation_prompt = true;
  const nlohmann::ordered_json* tools = nullptr;  // an array of function descriptions; null: None
  const nlohmann::ordered_json* extra = nullptr;  // an object: more variables, e.g. enable_thinking
  std::string bos_token = "";                     // the model's own, so they count as trusted
  std::string eos_token = "";
  std::optional<std::tm> now = std::nullopt;  // for strftime_now; default: local time
  TemplateLimits limits = {};
};

/// A parsed template. Immutable: many threads may render at once.
class ChatTemplate {
 public:
  /// `name` stands in front of messages. Throws TemplateError with line and column: a syntax error,
  /// or a construct, filter or test that we do not have.
  explicit ChatTemplate(std::string_view source, std::string_view name = "chat template");

  /// `messages`: an array of objects with role, content and whatever else the template reads
  /// (tool_calls, ..). The text comes in spans: what the template or the model's files wrote is
  /// trusted, what came in with messages, tools and extra is not, through every filter. A role out
  /// of user, assistant, system, tool, developer, function and ipython counts as the template's
  /// word, because templates build control tokens from it. Throws TemplateError: kind refused if
  /// the template raised it, with the template's own words().
  std::vector<TextSpan> render(const nlohmann::ordered_json& messages,
                               const ChatInput& input) const;
  std::vector<TextSpan> render(const std::vector<ChatMessage>& messages,
                               const ChatInput& input) const;

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
};

}  // namespace colonnade::text
