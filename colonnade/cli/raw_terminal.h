// A terminal that hands over every key as it is typed.
#pragma once

#include <termios.h>

namespace colonnade::cli {

/// Standard input in raw mode with bracketed paste, while it lives. Source: termios(3); xterm's
/// private mode 2004.
class RawTerminal {
 public:
  /// Throws Error if the terminal refuses.
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  termios before_ = {};
};

}  // namespace colonnade::cli
