// Python's str methods on marked text. Filters and methods both use these.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "colonnade/text/jinja_runtime.h"

namespace colonnade::text::jinja {

enum class Side : uint8_t { left, right, both };

/// Removes the characters of `chars` from the ends; null: white space.
Text strip(const Text& text, const Text* chars, Side side);

/// Pieces between `separator`s, at most `limit` cuts (negative: all); null: runs of white space
/// separate. Throws if the separator is empty.
std::vector<Text> split(Runtime& rt, const Text& text, const Text* separator, int64_t limit);
/// The same, cutting from the right.
std::vector<Text> split_right(Runtime& rt, const Text& text, const Text* separator, int64_t limit);
std::vector<Text> split_lines(Runtime& rt, const Text& text, bool keep_ends);

Text replace(Runtime& rt, const Text& text, const Text& old, const Text& by, int64_t count);
Text join(Runtime& rt, const Text& separator, const std::vector<Text>& parts);

Text upper(Runtime& rt, const Text& text);
Text lower(Runtime& rt, const Text& text);
Text fold_case(Runtime& rt, const Text& text);
Text capitalize(Runtime& rt, const Text& text);
Text title(Runtime& rt, const Text& text);
Text swap_case(Runtime& rt, const Text& text);

enum class Align : uint8_t { left, right, center };
/// Pads with `fill` to `width` characters.
Text pad(Runtime& rt, const Text& text, int64_t width, const Text& fill, Align align);

/// True if the text is not empty and `test` holds for every character.
bool all_chars(const Text& text, bool (*test)(char32_t));
/// Python's islower and isupper: some character has a case, and none has another.
bool is_lower_text(const Text& text);
bool is_upper_text(const Text& text);

}  // namespace colonnade::text::jinja
