#include "colonnade/cli/terminal.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "colonnade/base/env.h"
#include "colonnade/base/error.h"
#include "colonnade/cli/exit_codes.h"

namespace colonnade::cli {
namespace {

constexpr int kLongestBar = 30;
constexpr int kShortestBar = 10;

/// errno of the write that failed, or 0.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

/// All 0 when it does not say.
winsize size_of(int fd) {
  winsize size = {};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

bool shows_styles(int fd) {
  return ::isatty(fd) == 1 && !environment_variable("NO_COLOR") &&
         environment_variable("TERM").value_or("dumb") != "dumb";
}

}  // namespace

void prepare_descriptors() {
  // A closed descriptor becomes one that refuses what it is for: reading 1 and 2 would succeed,
  // writing fails.
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    if (::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) ::_exit(kFailure);
  }
  std::signal(SIGPIPE, SIG_IGN);
}

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) throw OutputClosed();
  CN_CHECK(error == 0, "standard output: cannot be written: ", std::strerror(error));
}

void print_line(std::string_view text) { print(std::string(text) + "\n"); }

void note(std::string_view text) { write_all(STDERR_FILENO, text); }

bool stdin_is_terminal() { return ::isatty(STDIN_FILENO) == 1; }
bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }
bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

std::string styled(int fd, Style style, std::string_view text) {
  if (!shows_styles(fd)) return std::string(text);
  const char* code = style == Style::dim    ? "\x1b[2m"
                     : style == Style::bold ? "\x1b[1m"
                                            : "\x1b[31m";
  return concat(code, text, "\x1b[0m");
}

int columns_of(int fd) {
  const int columns = size_of(fd).ws_col;
  return columns > 0 ? columns : 80;
}

int rows_of(int fd) {
  const int rows = size_of(fd).ws_row;
  return rows > 0 ? rows : 24;
}

void ProgressLine::show(std::string_view label, int64_t done, int64_t all) {
  if (!shown_ || all <= 0) return;
  const int percent = static_cast<int>(std::min<int64_t>(100, done * 100 / all));
  if (percent == percent_ && label == label_) return;
  percent_ = percent;
  label_ = label;
  const int columns = columns_of(STDERR_FILENO) - 9;  // of label and bar
  const int bar = std::clamp(columns - static_cast<int>(label.size()), kShortestBar, kLongestBar);
  const auto room = static_cast<size_t>(std::max(10, columns - bar));
  const int full = percent * bar / 100;
  note(concat("\r\x1b[K", label.substr(0, room), " [", std::string(static_cast<size_t>(full), '#'),
              std::string(static_cast<size_t>(bar - full), ' '), "] ", percent, " %"));
}

void ProgressLine::clear() {
  if (percent_ >= 0) note("\r\x1b[K");
  percent_ = -1;
}

}  // namespace colonnade::cli
