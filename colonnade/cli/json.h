// JSON as the command prints it.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace colonnade::cli {

/// On one line, or indented by two spaces; bytes that are not UTF-8 become U+FFFD.
std::string to_line(const nlohmann::ordered_json& value);
std::string to_page(const nlohmann::ordered_json& value);

}  // namespace colonnade::cli
