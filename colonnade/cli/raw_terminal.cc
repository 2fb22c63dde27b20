#include "colonnade/cli/raw_terminal.h"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "colonnade/base/error.h"
#include "colonnade/cli/terminal.h"

namespace colonnade::cli {

RawTerminal::RawTerminal() {
  CN_CHECK(::tcgetattr(STDIN_FILENO, &before_) == 0,
           "terminal: its mode cannot be read: ", std::strerror(errno));
  termios raw = before_;
  raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
  raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  // TCSADRAIN: what was typed ahead is kept.
  CN_CHECK(::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0,
           "terminal: its mode cannot be changed: ", std::strerror(errno));
  print("\x1b[?2004h");
}

RawTerminal::~RawTerminal() {
  constexpr char kNoPaste[] = "\x1b[?2004l";
  [[maybe_unused]] const ssize_t ignored = ::write(STDOUT_FILENO, kNoPaste, sizeof kNoPaste - 1);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

}  // namespace colonnade::cli
