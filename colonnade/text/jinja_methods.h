// Methods and attributes of values, as Python's types have them.
#pragma once

#include <optional>
#include <string>

#include "colonnade/text/jinja_runtime.h"

namespace colonnade::text::jinja {

/// The attribute or bound method `name` of `value`, if its type has one. Throws if Python's type
/// has it and we do not.
std::optional<Value> find_attribute(Runtime& rt, const Value& value, const std::string& name);

}  // namespace colonnade::text::jinja
