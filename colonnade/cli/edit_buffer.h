// The text that somebody types, and where the cursor stands in it.
#pragma once

#include <string>
#include <string_view>

namespace colonnade::cli {

/// Valid UTF-8, perhaps of several lines. Every movement is by whole characters.
class EditBuffer {
 public:
  const std::string& text() const { return text_; }
  /// A byte offset.
  size_t cursor() const { return cursor_; }

  /// Replaces everything; the cursor goes to the end.
  void assign(std::string_view text);
  /// At the cursor. Bytes that are no UTF-8 become U+FFFD; \r\n and \r become \n.
  void insert(std::string_view text);

  void erase_before();       // one character
  void erase_at();           // one character
  void erase_word_before();  // spaces, then what is none
  void erase_line_before();  // to the start of the line
  void erase_line_after();   // to its end; the line's end itself if nothing else is there

  void left();
  void right();
  void word_left();
  void word_right();
  void line_start();
  void line_end();
  /// To the line above or below, to the same place counted in characters. False if there is none.
  bool up();
  bool down();

 private:
  size_t before(size_t at) const;  // start of the character that ends at `at`
  size_t after(size_t at) const;
  size_t line_start_of(size_t at) const;
  size_t line_end_of(size_t at) const;
  /// The byte that is `characters` behind `start`, or the line's end.
  size_t move_in_line(size_t start, size_t characters) const;

  std::string text_;
  size_t cursor_ = 0;
};

}  // namespace colonnade::cli
