#include "colonnade/cli/conversation.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/meters.h"
#include "colonnade/cli/open_session.h"
#include "colonnade/cli/text_input.h"

namespace colonnade::cli {

Conversation::Conversation(Session& session, const AnswerOptions& options, std::string system)
    : session_(session), options_(options), system_(std::move(system)) {
  session.chat_template();  // throws before the first turn if there is none
}

std::vector<text::ChatMessage> Conversation::messages() const {
  std::vector<text::ChatMessage> all;
  if (!system_.empty()) all.push_back({"system", system_});
  all.insert(all.end(), turns_.begin(), turns_.end());
  return all;
}

std::vector<int32_t> Conversation::prompt() const {
  return as_usage([&] {
    const std::vector<text::TextSpan> spans =
        session_.chat_template().render(messages(), session_.chat_input());
    return session_.tokenizer().encode(spans, text::AddSpecial::no);
  });
}

FinishReason Conversation::answer(std::string_view text,
                                  const std::function<void(std::string_view)>& show,
                                  OnPrompt on_prompt) {
  check_utf8(text, "the message");
  turns_.push_back({"user", std::string(text)});
  try {
    GenerationRequest request;
    request.prompt = prompt();
    check_prompt(session_, request.prompt);
    request.sampling = options_.sampling;
    request.stop = options_.stop;
    request.on_prompt = std::move(on_prompt);
    GenerationResult result = session_.generator().generate(request, [&](const TokenEvent& event) {
      if (is_interrupted()) return false;
      show(event.text);
      return true;
    });
    timings_ = add(timings_, result.timings);
    turns_.push_back({"assistant", std::move(result.text)});
    return result.finish_reason;
  } catch (...) {
    turns_.pop_back();
    throw;
  }
}

std::string Conversation::to_json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const text::ChatMessage& message : messages())
    list.push_back({{"role", message.role}, {"content", message.content}});
  return to_page(list);
}

}  // namespace colonnade::cli
