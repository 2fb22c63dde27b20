// How an edited text stands on the terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace colonnade::cli {

struct ViewSize {
  int columns = 80;
  int rows = 24;
};

struct EditView {
  std::vector<std::string> rows;  // what is visible, the prompt in front of the first row included
  int cursor_row = 0;             // of the visible ones
  int cursor_column = 0;
};

/// Lines are broken at the last column; those behind the first are indented like the prompt. Of
/// more rows than fit, those around the cursor are visible. Tabs are four spaces, control
/// characters a question mark.
EditView lay_out(std::string_view prompt, std::string_view text, size_t cursor, ViewSize size);

}  // namespace colonnade::cli
