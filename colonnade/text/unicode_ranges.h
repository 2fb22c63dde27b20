// What is known of every code point, as Hugging Face `tokenizers` knows it.
#pragma once

#include <cstdint>
#include <span>

namespace colonnade::text {

/// General categories. Source: Unicode Standard Annex 44, table 12; the order is that of
/// tools/make_unicode_tables.py.
inline constexpr const char* kCategories[] = {
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"};

/// Bits of UnicodeRange::flags.
inline constexpr uint8_t kSpace = 1;     ///< \s
inline constexpr uint8_t kWord = 2;      ///< \w
inline constexpr uint8_t kDigit = 4;     ///< what the Digits pre-tokenizer splits off
inline constexpr uint8_t kFoldsToS = 8;  ///< not ASCII, but (?i:s) matches it: U+017F

/// Code points from `first` up to the next range's.
struct UnicodeRange {
  char32_t first;
  uint8_t category;  ///< index in kCategories
  uint8_t flags;
};

/// All of 0..U+10FFFF, ascending.
std::span<const UnicodeRange> unicode_ranges() noexcept;

}  // namespace colonnade::text
