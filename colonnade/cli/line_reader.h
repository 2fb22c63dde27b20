// The user's next line: edited on a terminal, read plainly from anything else.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "colonnade/cli/edit_buffer.h"
#include "colonnade/cli/key_decoder.h"

namespace colonnade::cli {

class LineReader {
 public:
  /// `on_wait` is called about twice a second while nothing comes; what it throws read() throws.
  explicit LineReader(std::function<void()> on_wait);

  bool is_interactive() const { return is_interactive_; }
  /// The next line without its end; pasted and Alt-Enter lines come as one. Nothing at the end of
  /// the input (Ctrl-D), or when Ctrl-C came while nothing was typed. Throws Error if standard
  /// input cannot be read, Interrupted if a signal came where nobody edits.
  std::optional<std::string> read(std::string_view prompt);

 private:
  enum class Outcome { goes_on, accepted, leaves };

  /// Bytes of standard input; 0 at its end, -1 if a signal came.
  ssize_t read_block(std::span<char> block);
  /// The same; what it throws is written below what was drawn.
  ssize_t read_below_drawing(std::span<char> block);
  std::optional<std::string> read_plain();
  std::optional<std::string> read_edited(std::string_view prompt);
  Outcome obey(const Key& key);
  void edit(const Key& key);
  /// Steps through earlier lines; what is being typed is the newest.
  void recall(int step);
  void draw(std::string_view prompt);
  /// Puts the cursor below what was drawn.
  void leave_drawing();

  std::function<void()> on_wait_;
  bool is_interactive_;
  std::string pending_;  // plain: read but not yet given out
  bool at_end_ = false;

  KeyDecoder keys_;
  EditBuffer buffer_;
  std::vector<std::string> history_;
  size_t recalled_ = 0;  // index in history_; its size: what is being typed
  std::string typed_;    // kept while a line of the history is shown
  int rows_below_ = 0;   // of the drawing, below the cursor
  int cursor_row_ = 0;
};

}  // namespace colonnade::cli
