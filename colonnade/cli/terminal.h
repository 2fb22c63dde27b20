// Standard output and standard error, as terminals or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace colonnade::cli {

/// Descriptors 0, 1 and 2 are open afterwards, so that no file of ours can become one of them; and
/// a reader who left is an error of write(), not a signal.
void prepare_descriptors();

/// Writes all of `text` to standard output at once. Throws OutputClosed if its reader left, Error
/// if it cannot be written otherwise.
void print(std::string_view text);
void print_line(std::string_view text);

/// Writes `text` to standard error; failures are ignored.
void note(std::string_view text);

bool stdin_is_terminal();
bool stdout_is_terminal();
bool stderr_is_terminal();

enum class Style : uint8_t { dim, bold, red };

/// `text` in a style, where the terminal `fd` shows styles: it is one, TERM is not dumb, and
/// NO_COLOR is not set. Source: no-color.org.
std::string styled(int fd, Style style, std::string_view text);

/// Size of the terminal `fd`; 80 and 24 when it does not say.
int columns_of(int fd);
int rows_of(int fd);

/// One line on standard error that is rewritten in place; nothing where that is no terminal, or
/// `shown` is false.
class ProgressLine {
 public:
  explicit ProgressLine(bool shown) : shown_(shown && stderr_is_terminal()) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `label`, a bar and per cent; draws when these changed.
  void show(std::string_view label, int64_t done, int64_t all);
  void clear();

 private:
  bool shown_;
  int percent_ = -1;
  std::string label_;
};

}  // namespace colonnade::cli
