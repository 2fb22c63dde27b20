#include "colonnade/cli/line_reader.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "colonnade/base/error.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/terminal.h"

namespace colonnade::cli {

LineReader::LineReader() : is_interactive_(stdin_is_terminal() && stdout_is_terminal()) {}

std::optional<std::string> LineReader::read(std::string_view prompt) {
  if (is_interactive_) print(prompt);
  return read_plain();
}

std::optional<std::string> LineReader::read_plain() {
  for (;;) {
    const size_t end = pending_.find('\n');
    if (end != std::string::npos) {
      std::string line = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return line;
    }
    if (at_end_) {
      if (pending_.empty()) return std::nullopt;
      return std::exchange(pending_, "");
    }
    char block[4096];
    const ssize_t count = ::read(STDIN_FILENO, block, sizeof block);
    if (count < 0 && errno == EINTR) {
      check_interrupt();
      continue;
    }
    CN_CHECK(count >= 0, "standard input: cannot be read: ", std::strerror(errno));
    at_end_ = count == 0;
    pending_.append(block, static_cast<size_t>(count));
  }
}

}  // namespace colonnade::cli
