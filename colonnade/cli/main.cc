// The command's entry: finds the subcommand, and turns what goes wrong into one line and an exit
// code.
#include <new>
#include <span>
#include <string>
#include <vector>

#include "colonnade/base/quote.h"
#include "colonnade/cli/arguments.h"
#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/help.h"
#include "colonnade/cli/terminal.h"

namespace colonnade::cli {
namespace {

constexpr std::string_view kError = "colonnade: error: ";

int complete(const Arguments& arguments) {
  if (arguments.words().size() != 1)
    throw UsageError("completion: expected bash, zsh, fish or man");
  return completion(arguments.words().front());
}

int execute(const Arguments& arguments) {
  const std::string_view name = arguments.command().name;
  if (name == "run") return run(read_run_options(arguments));
  if (name == "chat") return chat(read_chat_options(arguments));
  if (name == "info") return info(read_info_options(arguments));
  if (name == "plan") return plan(read_plan_options(arguments));
  if (name == "tokenize") return tokenize(read_tokenize_options(arguments));
  if (name == "perplexity") return perplexity(read_perplexity_options(arguments));
  if (name == "verify") return verify(read_verify_options(arguments));
  if (name == "bench") return bench(read_bench_options(arguments));
  if (name == "quantize") return quantize(read_quantize_options(arguments));
  if (name == "shard") return shard(read_shard_options(arguments));
  return complete(arguments);
}

[[noreturn]] void refuse_command(const std::string& word) {
  const std::string_view nearest = nearest_command(word);
  throw UsageError(concat("unknown command ", quote(word),
                          nearest.empty() ? "" : concat("; did you mean ", nearest, "?"),
                          " See colonnade --help"));
}

int dispatch(std::span<const std::string> words) {
  if (words.empty()) {
    note(program_help());
    return kUsage;
  }
  const std::string& first = words.front();
  if (first == "--version" || first == "-V" || first == "version") {
    print_line("colonnade " COLONNADE_VERSION);
    return kOk;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    const Command* about = words.size() > 1 ? find_command(words[1]) : nullptr;
    if (words.size() > 1 && about == nullptr) refuse_command(words[1]);
    print(about != nullptr ? command_help(*about, columns_of(1)) : program_help());
    return kOk;
  }
  const Command* command = find_command(first);
  if (command == nullptr) refuse_command(first);
  const Arguments arguments(*command, words.subspan(1));
  if (arguments.has("--help")) {
    print(command_help(*command, columns_of(1)));
    return kOk;
  }
  return execute(arguments);
}

int fail(std::string_view message, ExitCode code) {
  note(concat(styled(2, Style::red, kError), message, "\n"));
  return code;
}

int guarded(std::span<const std::string> words) {
  try {
    return dispatch(words);
  } catch (const UsageError& error) {
    return fail(error.what(), kUsage);
  } catch (const OutputClosed&) {
    return kOutputClosed;
  } catch (const Interrupted&) {
    return kInterrupted;
  } catch (const std::bad_alloc&) {
    return fail("out of memory: the system gave no more", kFailure);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailure);
  }
}

}  // namespace
}  // namespace colonnade::cli

int main(int argc, char** argv) {
  colonnade::cli::prepare_descriptors();
  return colonnade::cli::guarded(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
