// Text to numbers as Python's int() and float() read it, and JSON to values.
#pragma once

#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "colonnade/text/jinja_runtime.h"

namespace colonnade::text::jinja {

/// int(text, base); nothing if Python would refuse. Throws if the number needs more than 64 bits.
std::optional<int64_t> parse_integer(Runtime& rt, std::string_view text, int64_t base);
/// float(text); nothing if Python would refuse.
std::optional<double> parse_real(std::string_view text);

/// JSON as template values, all of it the caller's. Throws beyond kMaxJsonDepth.
Value from_json(Runtime& rt, const nlohmann::ordered_json& json);
/// A string that holds JSON, read by the template; what comes out has the string's mark.
Value parse_json(Runtime& rt, const Value& text);

/// Deepest nesting of messages and tools.
constexpr int kMaxJsonDepth = 100;

}  // namespace colonnade::text::jinja
