// Numbers and strings in a given width, sign and precision: what both of Python's format languages
// share.
#pragma once

#include "colonnade/text/jinja_runtime.h"

namespace colonnade::text::jinja {

constexpr int64_t kMaxFormatWidth = 100000;
constexpr int64_t kMaxFormatPrecision = 1000;

struct NumberFormat {
  Text fill = Text(" ", true);
  char align = 0;          // < > ^ = or 0: the type's own
  char sign = '-';         // + (always), space, - (negative only)
  bool zero = false;       // pad with zeros behind the sign
  bool alternate = false;  // 0x, 0o
  bool grouped = false;    // 1,000,000
  int64_t width = 0;
  int64_t precision = -1;
  bool trusted = true;  // who wrote the format: padding and signs are theirs
};

/// `text` cut to the precision and padded; strings stand left, unless said otherwise.
Text pad_text(Runtime& rt, const Text& text, const NumberFormat& spec, char own_align = '>');
/// type: d o x X b. `value` is an integer or boolean.
Text format_integer(Runtime& rt, const Value& value, char type, const NumberFormat& spec);
/// type: e E f F g G %. `value` is a number.
Text format_real(Runtime& rt, const Value& value, char type, const NumberFormat& spec);

}  // namespace colonnade::text::jinja
