// colonnade chat: one turn, or a conversation.
#include <optional>

#include "colonnade/base/new_file.h"
#include "colonnade/cli/commands.h"
#include "colonnade/cli/conversation.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/line_reader.h"
#include "colonnade/cli/meters.h"
#include "colonnade/cli/open_session.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/cli/text_input.h"

namespace colonnade::cli {
namespace {

constexpr std::string_view kHelp =
    "/reset         forget the conversation\n"
    "/system TEXT   change the system message (without a text: none)\n"
    "/save FILE     write the conversation as JSON\n"
    "/help          this list\n"
    "/exit          leave; so do Ctrl-D, and Ctrl-C when nothing is typed\n"
    "Ctrl-C stops an answer. Alt-Enter begins a new line; pasted lines stay together.\n";

struct Typed {
  std::string_view command;  // "/save"; empty: a turn
  std::string_view rest;
};

/// A command is a word of lower-case letters behind a slash, at the start: "/usr/bin is what?" is a
/// turn.
Typed take_apart(std::string_view text) {
  if (!text.starts_with('/')) return {"", text};
  const size_t end = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz", 1), text.size());
  if (end == 1 || (end < text.size() && text[end] != ' ' && text[end] != '\n')) return {"", text};
  const size_t rest = text.find_first_not_of(" \n", end);
  return {text.substr(0, end), rest == std::string_view::npos ? "" : text.substr(rest)};
}

class Chat {
 public:
  Chat(Session& session, const ChatOptions& options)
      : session_(session),
        conversation_(session, options.answer, options.system),
        quiet_(options.model.quiet) {}

  Conversation& conversation() { return conversation_; }

  /// Returns when the user leaves. Throws CommError if a rank is lost meanwhile.
  void converse() {
    LineReader reader([this] { session_.check_ranks(); });
    if (reader.is_interactive()) note("/help lists the commands; Ctrl-D leaves\n");
    while (!must_end()) {
      take_interrupt();
      const std::optional<std::string> text = reader.read("> ");
      if (!text || !handle(*text)) return;
    }
  }

  void answer(std::string_view text) {
    ProgressLine bar(!quiet_);
    conversation_.answer(
        text, [](std::string_view piece) { print(piece); }, prompt_meter(bar));
    print("\n");
  }

 private:
  /// False: leave.
  bool handle(std::string_view text) {
    const Typed typed = take_apart(text);
    try {
      if (!typed.command.empty()) return obey(typed);
      if (text.find_first_not_of(" \t\n") != std::string_view::npos) answer(text);
    } catch (const Interrupted&) {
      note("\nstopped before the answer began; the turn is forgotten\n");
    } catch (const CommError&) {
      throw;  // there is nobody left to go on with
    } catch (const Error& error) {
      note(styled(2, Style::red, concat("colonnade: error: ", error.what())) + "\n");
    }
    return true;
  }

  bool obey(const Typed& typed) {
    if (typed.command == "/exit" || typed.command == "/quit") return false;
    if (typed.command == "/reset") {
      conversation_.reset();
    } else if (typed.command == "/system") {
      check_utf8(typed.rest, "the system message");
      conversation_.set_system(std::string(typed.rest));
    } else if (typed.command == "/save") {
      save(typed.rest);
    } else if (typed.command == "/help") {
      note(kHelp);
    } else {
      throw UsageError(concat("unknown command ", typed.command, "; /help lists those there are"));
    }
    return true;
  }

  void save(std::string_view path) {
    if (path.empty()) throw UsageError("/save: expected the name of a file");
    NewFile file{std::string(path)};
    file.append(conversation_.to_json() + "\n");
    file.commit();
  }

  Session& session_;
  Conversation conversation_;
  bool quiet_;
};

void show_speed(Session& session, const ChatOptions& options, const Timings& timings) {
  const bool wanted = options.answer.timings || stderr_is_terminal();
  if (options.model.quiet || !wanted || timings.generated_tokens == 0) return;
  note(styled(2, Style::dim, speed_line(session, timings)) + "\n");
}

}  // namespace

int chat(const ChatOptions& options) {
  catch_interrupts();
  std::optional<std::string> turn;
  if (options.turn.given()) turn = read_text_input(options.turn);
  check_utf8(options.system, "--system-prompt");
  const std::unique_ptr<Session> session = open_session(options.model);
  as_usage([&] { validate(options.answer.sampling, session->vocab()); });
  Chat chat(*session, options);
  if (turn) {
    chat.answer(*turn);
    check_interrupt();
  } else {
    chat.converse();
  }
  show_speed(*session, options, chat.conversation().timings());
  return must_end() ? kInterrupted : kOk;
}

}  // namespace colonnade::cli
