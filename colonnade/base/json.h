// JSON that strangers wrote.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace colonnade {

constexpr int kMostJsonDepth = 64;

/// `text` as JSON. Throws Error that begins with `where`: it is none (with line and byte), a key
/// stands twice in one object, or it nests deeper than kMostJsonDepth; that is seen before anything
/// is built.
nlohmann::json parse_json(std::string_view text, std::string_view where);

}  // namespace colonnade
