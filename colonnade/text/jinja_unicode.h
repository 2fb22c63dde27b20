// Characters as Python's str sees them: code points in UTF-8, white space, letters, case. Templates
// are written for Python, so its rules decide. A byte that is no UTF-8 counts as one character and
// is left as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace colonnade::text::jinja {

/// Reads the character at `pos` and moves `pos` behind it; a byte that is no UTF-8 comes back as
/// 0xDC00 + byte.
char32_t next_char(std::string_view text, size_t& pos);

/// Start of the character that ends right before `end` (end > 0).
size_t prev_char(std::string_view text, size_t end);

/// Number of characters.
int64_t count_chars(std::string_view text);

/// Byte offset of character `index` (0 .. count_chars).
size_t byte_of_char(std::string_view text, int64_t index);

/// Appends `c` as UTF-8; what next_char returned for a stray byte becomes that byte again.
void append_char(std::string& out, char32_t c);

bool is_space(char32_t c);
bool is_alpha(char32_t c);
bool is_decimal(char32_t c);
bool is_digit(char32_t c);
bool is_numeric(char32_t c);
bool is_printable(char32_t c);
bool is_lower(char32_t c);
bool is_upper(char32_t c);
bool is_title(char32_t c);

/// The character in another case, as UTF-8; several characters where Unicode says so (sharp s,
/// ligatures).
std::string to_upper(char32_t c);
std::string to_lower(char32_t c);
std::string to_title(char32_t c);
std::string to_folded(char32_t c);  // for comparing without case

}  // namespace colonnade::text::jinja
