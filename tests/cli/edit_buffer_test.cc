#include "colonnade/cli/edit_buffer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "colonnade/text/utf8.h"

namespace colonnade::cli {
namespace {

EditBuffer with(std::string_view text) {
  EditBuffer buffer;
  buffer.insert(text);
  return buffer;
}

TEST(EditBuffer, MovesAndErasesByCharacters) {
  EditBuffer buffer = with("aé🍕b");
  buffer.left();
  buffer.erase_before();
  EXPECT_EQ(buffer.text(), "aéb");
  buffer.left();
  buffer.erase_at();
  EXPECT_EQ(buffer.text(), "ab");
  buffer.insert("ü");
  EXPECT_EQ(buffer.text(), "aüb");
  EXPECT_EQ(buffer.cursor(), 3U);
}

TEST(EditBuffer, StopsAtBothEnds) {
  EditBuffer buffer = with("a");
  buffer.right();
  buffer.erase_at();
  EXPECT_EQ(buffer.text(), "a");
  buffer.left();
  buffer.left();
  buffer.erase_before();
  EXPECT_EQ(buffer.text(), "a");
  EXPECT_EQ(buffer.cursor(), 0U);
}

TEST(EditBuffer, ErasesWordsAndPartsOfLines) {
  EditBuffer buffer = with("one two  ");
  buffer.erase_word_before();
  EXPECT_EQ(buffer.text(), "one ");
  buffer.assign("ab\ncd");
  buffer.left();
  buffer.erase_line_before();
  EXPECT_EQ(buffer.text(), "ab\nd");
  buffer.erase_line_after();
  EXPECT_EQ(buffer.text(), "ab\n");
  buffer.up();
  buffer.line_end();
  buffer.erase_line_after();
  EXPECT_EQ(buffer.text(), "ab");
}

TEST(EditBuffer, MovesByWords) {
  EditBuffer buffer = with("one two");
  buffer.word_left();
  EXPECT_EQ(buffer.cursor(), 4U);
  buffer.word_left();
  buffer.word_right();
  EXPECT_EQ(buffer.cursor(), 3U);
}

TEST(EditBuffer, UpAndDownKeepThePlaceInCharacters) {
  EditBuffer buffer = with("äöü\nx\nabcd");
  buffer.left();  // before d: 3 characters in
  EXPECT_TRUE(buffer.up());
  EXPECT_EQ(buffer.cursor(), 8U);  // behind x
  EXPECT_TRUE(buffer.up());
  EXPECT_EQ(buffer.cursor(), 2U);  // behind ä
  EXPECT_FALSE(buffer.up());
  EXPECT_TRUE(buffer.down());
  EXPECT_TRUE(buffer.down());
  EXPECT_FALSE(buffer.down());
}

TEST(EditBuffer, LineEndsBecomeNewlinesAndBadBytesReplacements) {
  EXPECT_EQ(with("a\r\nb\rc").text(), "a\nb\nc");
  EXPECT_EQ(with("a\xff").text(), "a\xef\xbf\xbd");
}

TEST(EditBuffer, StaysValidUtf8WhateverHappens) {
  EXPECT_TRUE(rc::check([] {
    EditBuffer buffer;
    for (int i = 0; i < 40; ++i) {
      switch (*rc::gen::inRange(0, 12)) {
        case 0:
          buffer.erase_before();
          break;
        case 1:
          buffer.erase_at();
          break;
        case 2:
          buffer.erase_word_before();
          break;
        case 3:
          buffer.erase_line_before();
          break;
        case 4:
          buffer.erase_line_after();
          break;
        case 5:
          buffer.left();
          break;
        case 6:
          buffer.word_left();
          break;
        case 7:
          buffer.up();
          break;
        case 8:
          buffer.down();
          break;
        case 9:
          buffer.insert("é\n🍕 ");
          break;
        default:
          buffer.insert(*rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
          break;
      }
      RC_ASSERT(text::first_invalid_utf8(buffer.text()) == -1);
      RC_ASSERT(buffer.cursor() <= buffer.text().size());
      RC_ASSERT(text::first_invalid_utf8(buffer.text().substr(buffer.cursor())) == -1);
    }
  }));
}

}  // namespace
}  // namespace colonnade::cli
