// The printable alphabet in which byte-level vocabularies spell bytes.
#pragma once

#include <string>
#include <string_view>

namespace colonnade::text {

/// Appends the bytes that `piece`, UTF-8, spells. False, and nothing is appended, if a character of
/// it is not in the alphabet. Printable Latin-1 bytes stand for themselves, the other 68, in order,
/// are U+0100..U+0143. Source: Radford et al. 2019, released encoder of GPT-2, bytes_to_unicode.
bool append_bytes_of_spelling(std::string_view piece, std::string* bytes);

}  // namespace colonnade::text
