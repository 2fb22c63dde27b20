#pragma once
// A piece of text together with who wrote it.

#include <string>

namespace colonnade::text {

/// UTF-8 text with its origin. What the template or the program wrote is trusted and may name
/// special tokens; what a caller wrote is not, and stays ordinary text whatever it spells.
struct TextSpan {
  std::string text;
  bool trusted = true;

  bool operator==(const TextSpan&) const = default;
};

}  // namespace colonnade::text
