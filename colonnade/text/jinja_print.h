// Values as text: Python's str and repr, JSON, HTML escapes. Marks follow the characters; what a
// container adds (brackets, commas) belongs to whoever made the container.
#pragma once

#include <string>

#include "colonnade/text/jinja_runtime.h"

namespace colonnade::text::jinja {

/// Python's repr of a float: the shortest digits that read back as the same number.
std::string real_repr(double value);

/// Appends str(value) as {{ value }} prints it.
void append_str(Runtime& rt, TextBuilder& out, const Value& value);
Text str(Runtime& rt, const Value& value);
/// The value itself if it is a string (markup and all), else str(value).
Value soft_str(Runtime& rt, const Value& value);
void append_repr(Runtime& rt, TextBuilder& out, const Value& value);
Text repr(Runtime& rt, const Value& value);

/// & < > " ' as HTML entities; a value that is markup already comes back as it is.
Value escaped(Runtime& rt, const Value& value);

/// As json.dumps of Python has them.
struct JsonStyle {
  bool ensure_ascii = false;
  bool indented = false;
  Text indent;  // of one level, if indented
  Text item_separator = Text(", ", true);
  Text key_separator = Text(": ", true);
  bool sort_keys = false;
};
Text to_json(Runtime& rt, const Value& value, const JsonStyle& style);

}  // namespace colonnade::text::jinja
