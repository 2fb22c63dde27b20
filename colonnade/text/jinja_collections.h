// Helpers that several filters over lists share: reading an item's attribute by a dotted path,
// comparing without case.
#pragma once

#include <string_view>
#include <vector>

#include "colonnade/text/jinja_runtime.h"

namespace colonnade::text::jinja {

enum class Case : uint8_t { kept, ignored };

/// A path "a.b.0" as the keys to follow one by one; an integer is one key; null or None is no key.
std::vector<Value> path_of(Runtime& rt, const Value* attribute);

/// The value at the end of `path`; where a step is undefined it becomes `otherwise`, if given.
Value follow(Runtime& rt, Value value, const std::vector<Value>& path,
             const Value* otherwise = nullptr);

/// The value itself, or in small letters if it is a string and case is ignored.
Value folded(Runtime& rt, const Value& value, Case mode);

/// Sorts by `keys` (one per item) and keeps the order of equals.
std::vector<Value> sorted(Runtime& rt, const std::vector<Value>& items,
                          const std::vector<Value>& keys, bool reverse);

/// Whether the punctuation of a list made from `source` is the template's.
bool owned_by_template(const Value& source);

}  // namespace colonnade::text::jinja
