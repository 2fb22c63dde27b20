// Texts that a command works on.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "colonnade/cli/options.h"

namespace colonnade::cli {

/// All bytes of a file, a pipe, or standard input ("-"). Throws Error if it cannot be read or has
/// more than `most`, Interrupted.
std::string read_bytes(const std::string& path, int64_t most = std::numeric_limits<int64_t>::max());

/// The text that the options name; standard input when they name none. Throws UsageError with the
/// byte offset if it is not UTF-8, or if standard input is a terminal that nobody mentioned.
std::string read_text_input(const TextOptions& options);

/// Throws UsageError with the byte offset if `text` is not UTF-8.
void check_utf8(std::string_view text, std::string_view where);

}  // namespace colonnade::cli
