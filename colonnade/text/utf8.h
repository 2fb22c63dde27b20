// UTF-8 by the byte: checking, decoding, encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace colonnade::text {

/// What stands at the start of some bytes: one character, the beginning of one, or neither.
struct Utf8Step {
  enum class Kind { character, incomplete, invalid };
  Kind kind;
  /// Bytes of it. For `invalid` the longest beginning of a character, at least 1: the part that one
  /// U+FFFD replaces. Source: The Unicode Standard 15, section 3.9, "U+FFFD substitution of maximal
  /// subparts".
  int length;
};

/// Looks at the start of `bytes`, which must not be empty. Source: The Unicode Standard 15, table
/// 3-7.
Utf8Step utf8_step(std::string_view bytes) noexcept;

/// Byte offset of the first byte of `text` that is not part of a well-formed character; -1 if there
/// is none.
int64_t first_invalid_utf8(std::string_view text) noexcept;

/// The character at byte `*pos` of valid UTF-8; moves `*pos` behind it.
char32_t next_code_point(std::string_view text, size_t* pos) noexcept;

/// Appends `c`, a Unicode scalar value, as UTF-8.
void append_utf8(std::string* out, char32_t c);

}  // namespace colonnade::text
