#include "colonnade/cli/edit_view.h"

#include <algorithm>

#include <locale.h>
#include <wchar.h>

#include "colonnade/text/utf8.h"

namespace colonnade::cli {
namespace {

/// The columns of characters are the locale's business; this one knows all of Unicode everywhere.
class UnicodeLocale {
 public:
  UnicodeLocale()
      : unicode_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
        before_(unicode_ != nullptr ? ::uselocale(unicode_) : nullptr) {}
  ~UnicodeLocale() {
    if (unicode_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(unicode_);
  }
  UnicodeLocale(const UnicodeLocale&) = delete;
  UnicodeLocale& operator=(const UnicodeLocale&) = delete;

 private:
  locale_t unicode_;
  locale_t before_;
};

/// What is shown for the character at *at of valid UTF-8, and its columns; moves behind it.
std::pair<std::string_view, int> shown(std::string_view text, size_t* at) {
  const size_t start = *at;
  const char32_t c = text::next_code_point(text, at);
  if (c == '\t') return {"    ", 4};
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return {"?", 1};
  const int width = ::wcwidth(static_cast<wchar_t>(c));
  return {text.substr(start, *at - start), std::max(width, 0)};
}

}  // namespace

EditView lay_out(std::string_view prompt, std::string_view text, size_t cursor, ViewSize size) {
  const UnicodeLocale locale;
  const std::string indent(prompt.size(), ' ');
  // The last column stays free: terminals differ in where the cursor is after writing to it.
  const int columns = std::max(size.columns - 1, static_cast<int>(prompt.size()) + 4);
  EditView view{{std::string(prompt)}, 0, 0};
  int column = static_cast<int>(prompt.size());
  const auto break_line = [&] {
    view.rows.push_back(indent);
    column = static_cast<int>(indent.size());
  };
  for (size_t at = 0; at <= text.size();) {
    const bool is_cursor = at == cursor;
    size_t end = at;
    const auto [piece, width] = at < text.size() && text[at] != '\n'
                                    ? shown(text, &end)
                                    : std::pair<std::string_view, int>("", 0);
    if (column + width > columns) break_line();
    if (is_cursor) {
      view.cursor_row = static_cast<int>(view.rows.size()) - 1;
      view.cursor_column = column;
    }
    view.rows.back() += piece;
    column += width;
    if (at < text.size() && text[at] == '\n') break_line();
    at = std::max(end, at + 1);
  }
  const int height = std::max(1, size.rows - 1);
  const int first = std::max(0, view.cursor_row - height + 1);
  const int last = std::min(static_cast<int>(view.rows.size()), first + height);
  view.rows.erase(view.rows.begin() + last, view.rows.end());
  view.rows.erase(view.rows.begin(), view.rows.begin() + first);
  view.cursor_row -= first;
  return view;
}

}  // namespace colonnade::cli
