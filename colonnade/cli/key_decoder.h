// The keys behind the bytes that a terminal in raw mode sends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace colonnade::cli {

enum class KeyKind : uint8_t {
  text,     // characters, perhaps pasted
  enter,    // ends the input
  newline,  // Alt-Enter or Ctrl-J
  backspace,
  erase,           // Delete
  erase_or_leave,  // Ctrl-D
  erase_word,
  erase_line_before,
  erase_line_after,
  left,
  right,
  up,
  down,
  word_left,
  word_right,
  line_start,
  line_end,
  redraw,
  interrupt,  // Ctrl-C
  ignored
};

struct Key {
  KeyKind kind = KeyKind::ignored;
  std::string text;
};

/// Bytes in, keys out; a key may arrive in pieces. Source: xterm control sequences (CSI, SS3,
/// modifyOtherKeys off, bracketed paste mode 2004); ECMA-48 for the form of a sequence.
class KeyDecoder {
 public:
  void push(std::string_view bytes) { bytes_ += bytes; }
  /// Nothing when more bytes are needed.
  std::optional<Key> next();

 private:
  std::optional<Key> escape();
  std::optional<Key> sequence();
  std::optional<Key> paste();
  std::optional<Key> characters();
  /// Removes `count` bytes.
  Key take(size_t count, KeyKind kind);

  std::string bytes_;  // not yet decoded
};

}  // namespace colonnade::cli
