// Small text files of the system (/proc, /sys), whose size is not known before they are read, and
// the numbers in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colonnade {

/// All of the file; nothing when it cannot be read.
std::optional<std::string> read_text(const std::string& path);

/// Without white space at both ends.
std::string_view trim(std::string_view text);

/// The parts between separators, empty ones too; no part for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator);

/// A decimal integer that is all of the text; nothing otherwise.
std::optional<int64_t> parse_integer(std::string_view text);

/// What stands behind "name" and an optional colon at the start of a line, trimmed: /proc/meminfo,
/// /proc/cpuinfo, memory.stat.
std::optional<std::string_view> field_of(std::string_view text, std::string_view name);

}  // namespace colonnade
