// The user's next line: edited on a terminal, read plainly from anything else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace colonnade::cli {

class LineReader {
 public:
  LineReader();

  bool is_interactive() const { return is_interactive_; }
  /// The next line without its end; pasted or Alt-Enter lines come as one. Nothing at the end of
  /// the input, or when Ctrl-C came while nothing was typed. Throws Error if standard input cannot
  /// be read, Interrupted if a signal came where nobody edits.
  std::optional<std::string> read(std::string_view prompt);

 private:
  std::optional<std::string> read_plain();

  bool is_interactive_;
  std::string pending_;  // read but not yet given out
  bool at_end_ = false;
};

}  // namespace colonnade::cli
