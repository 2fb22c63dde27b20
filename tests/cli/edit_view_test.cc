#include "colonnade/cli/edit_view.h"

#include <gtest/gtest.h>

namespace colonnade::cli {
namespace {

using Rows = std::vector<std::string>;

TEST(EditView, ALineStandsBehindThePrompt) {
  const EditView view = lay_out("> ", "hello", 2, {80, 24});
  EXPECT_EQ(view.rows, (Rows{"> hello"}));
  EXPECT_EQ(view.cursor_row, 0);
  EXPECT_EQ(view.cursor_column, 4);
}

TEST(EditView, FurtherLinesAreIndentedLikeThePrompt) {
  const EditView view = lay_out("> ", "a\nbc\n", 5, {80, 24});
  EXPECT_EQ(view.rows, (Rows{"> a", "  bc", "  "}));
  EXPECT_EQ(view.cursor_row, 2);
  EXPECT_EQ(view.cursor_column, 2);
}

TEST(EditView, LongLinesBreakBeforeTheLastColumn) {
  const EditView view = lay_out("> ", "abcdefghij", 10, {10, 24});
  EXPECT_EQ(view.rows, (Rows{"> abcdefg", "  hij"}));
  EXPECT_EQ(view.cursor_column, 5);
}

TEST(EditView, WideCharactersTakeTwoColumnsAndDoNotStraddle) {
  const EditView view = lay_out("> ", "山山山山", 12, {10, 24});  // 7 columns behind the prompt
  EXPECT_EQ(view.rows, (Rows{"> 山山山", "  山"}));
  EXPECT_EQ(view.cursor_column, 4);
}

TEST(EditView, TabsAndControlCharactersHaveAWidth) {
  EXPECT_EQ(lay_out("> ", "a\tb\x01", 4, {80, 24}).rows, (Rows{"> a    b?"}));
}

TEST(EditView, OfTooManyRowsThoseAroundTheCursorAreShown) {
  const EditView last = lay_out("> ", "a\nb\nc\nd", 7, {80, 3});
  EXPECT_EQ(last.rows, (Rows{"  c", "  d"}));
  EXPECT_EQ(last.cursor_row, 1);
  const EditView first = lay_out("> ", "a\nb\nc\nd", 0, {80, 3});
  EXPECT_EQ(first.rows, (Rows{"> a", "  b"}));
  EXPECT_EQ(first.cursor_row, 0);
}

}  // namespace
}  // namespace colonnade::cli
