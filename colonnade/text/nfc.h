// Unicode normalization form C, with the tables of Hugging Face `tokenizers`.
#pragma once

#include <string>
#include <string_view>

namespace colonnade::text {

/// True if `text`, valid UTF-8, holds no character that normalization could touch. False may also
/// be said of normal text.
bool is_surely_nfc(std::string_view text) noexcept;

/// `text`, valid UTF-8, in normalization form C. Time is linear but for the sorting of runs of
/// combining marks. Source: Unicode Standard Annex 15; The Unicode Standard 15, section 3.12 for
/// Hangul.
std::string to_nfc(std::string_view text);

}  // namespace colonnade::text
