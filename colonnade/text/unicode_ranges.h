// Character classes of pre-tokenizer patterns, as Hugging Face `tokenizers` has them, over every
// code point.
#pragma once

#include <cstdint>

namespace colonnade::text {

/// Bits of character_flags.
inline constexpr uint8_t kLetter = 1;  ///< \p{L}
inline constexpr uint8_t kNumber = 2;  ///< \p{N}
inline constexpr uint8_t kSpace = 4;   ///< \s
inline constexpr uint8_t kDigit =
    8;  ///< what the Digits pre-tokenizer splits off: \p{N} of a newer Unicode
inline constexpr uint8_t kFoldsToS = 16;  ///< not ASCII, but (?i:s) matches it: U+017F

/// The classes of `c`; 0 for what is in none of them. Source: tools/make_unicode_tables.py.
uint8_t character_flags(char32_t c) noexcept;

}  // namespace colonnade::text
