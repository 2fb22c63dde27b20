#include "colonnade/cli/key_decoder.h"

#include <vector>

#include <gtest/gtest.h>

namespace colonnade::cli {
namespace {

using Keys = std::vector<std::pair<KeyKind, std::string>>;

/// Adjacent texts as one: where they are cut depends on how the bytes arrived.
void drain(KeyDecoder& decoder, Keys* keys) {
  while (const std::optional<Key> key = decoder.next()) {
    const bool continues =
        key->kind == KeyKind::text && !keys->empty() && keys->back().first == KeyKind::text;
    if (continues) {
      keys->back().second += key->text;
    } else {
      keys->emplace_back(key->kind, key->text);
    }
  }
}

Keys decode(std::string_view bytes) {
  KeyDecoder decoder;
  decoder.push(bytes);
  Keys keys;
  drain(decoder, &keys);
  return keys;
}

Keys decode_one_by_one(std::string_view bytes) {
  KeyDecoder decoder;
  Keys keys;
  for (const char byte : bytes) {
    decoder.push({&byte, 1});
    drain(decoder, &keys);
  }
  return keys;
}

TEST(KeyDecoder, CharactersAndControlsAreKeys) {
  EXPECT_EQ(decode("aé🍕\r"), (Keys{{KeyKind::text, "aé🍕"}, {KeyKind::enter, ""}}));
  EXPECT_EQ(decode("\x03\x04\x7f\x17"), (Keys{{KeyKind::interrupt, ""},
                                              {KeyKind::erase_or_leave, ""},
                                              {KeyKind::backspace, ""},
                                              {KeyKind::erase_word, ""}}));
}

TEST(KeyDecoder, ArrowsComeInBothForms) {
  EXPECT_EQ(decode("\x1b[A\x1bOA"), (Keys{{KeyKind::up, ""}, {KeyKind::up, ""}}));
  EXPECT_EQ(decode("\x1b[3~\x1b[1;5C"), (Keys{{KeyKind::erase, ""}, {KeyKind::word_right, ""}}));
}

TEST(KeyDecoder, AltEnterAndControlJBeginALine) {
  EXPECT_EQ(decode("\x1b\r\n"), (Keys{{KeyKind::newline, ""}, {KeyKind::newline, ""}}));
}

TEST(KeyDecoder, APasteIsTextWhateverItHolds) {
  EXPECT_EQ(decode("\x1b[200~one\rtwo\x03\x1b[Athree\x1b[201~\r"),
            (Keys{{KeyKind::text, "one\rtwo\x03\x1b[Athree"}, {KeyKind::enter, ""}}));
}

TEST(KeyDecoder, UnknownSequencesAreSwallowedWhole) {
  EXPECT_EQ(decode("\x1b[15;2~x"), (Keys{{KeyKind::ignored, ""}, {KeyKind::text, "x"}}));
}

TEST(KeyDecoder, HowBytesArriveChangesNothing) {
  for (const char* bytes : {"aé🍕\r", "\x1b[A\x1bOA", "\x1b[1;5D", "\x1b[200~one\rtwo\x1b[201~\r",
                            "\x1b[15;2~x", "\x1b\r", "\xff\xf0\x9f\x8d\x95"})
    EXPECT_EQ(decode_one_by_one(bytes), decode(bytes)) << bytes;
}

}  // namespace
}  // namespace colonnade::cli
