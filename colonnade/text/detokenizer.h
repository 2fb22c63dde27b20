// Tokens to text, one by one, every piece valid UTF-8.
#pragma once

#include <cstdint>
#include <string>

#include "colonnade/text/pieces.h"

namespace colonnade::text {

/// Whether the text of control tokens is part of the output.
enum class ControlText { skip, keep };

/// Whether the first space of the text that comes out is taken away: SentencePiece puts one before
/// a text, which is no part of it.
enum class FirstSpace { keep, strip };

/// Decodes a stream of tokens. A character is given out when its last byte has come; bytes that can
/// no longer become one are given out as U+FFFD at once, so at most 3 bytes are ever held back. Not
/// thread-safe; `pieces` must outlive it.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Pieces& pieces, ControlText control_text = ControlText::skip,
                         FirstSpace first_space = FirstSpace::keep)
      : pieces_(pieces),
        control_text_(control_text),
        first_space_(first_space),
        at_start_(first_space == FirstSpace::strip) {}

  /// The text that became certain with token `id`: valid UTF-8, perhaps empty. Throws Error if `id`
  /// is not a token.
  std::string push(int32_t id);

  /// Ends the text: a character whose end never came is left out. The decoder is then as new.
  void finish();

 private:
  const Pieces& pieces_;
  ControlText control_text_;
  FirstSpace first_space_;
  std::string held_;  // the beginning of a character, at most 3 bytes
  bool at_start_;     // no text came yet, and its first space is to be taken away
};

}  // namespace colonnade::text
