// How the command ends. docs/command.md is the user's page.
#pragma once

#include "colonnade/base/error.h"

namespace colonnade::cli {

enum ExitCode : int {
  kOk = 0,
  kFailure = 1,        // a file, the machine or the model
  kUsage = 2,          // the command line or the text that came in
  kInterrupted = 130,  // 128 + SIGINT, as shells say it
  kOutputClosed = 141  // 128 + SIGPIPE: whoever read the output left
};

/// What the user wrote cannot be done: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Ctrl-C where there is nothing to go on with.
class Interrupted : public std::exception {};

/// Whoever read standard output left.
class OutputClosed : public std::exception {};

/// f(), whose Errors are the user's mistakes.
template <typename F>
auto as_usage(const F& f) {
  try {
    return f();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

/// f(), with what it refuses of a request ("ranks: expected ...") as a UsageError that names the
/// flag.
template <typename F>
auto naming_flags(const F& f) {
  constexpr std::pair<std::string_view, std::string_view> kFlags[] = {{"ranks:", "--tp:"},
                                                                      {"shares:", "--shares:"},
                                                                      {"context:", "--ctx-size:"},
                                                                      {"chunk:", "--chunk:"},
                                                                      {"steps:", "--max-tokens:"}};
  try {
    return f();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    const std::string_view message = error.what();
    for (const auto& [field, flag] : kFlags) {
      if (message.starts_with(field)) throw UsageError(concat(flag, message.substr(field.size())));
    }
    throw;
  }
}

}  // namespace colonnade::cli
