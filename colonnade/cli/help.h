// The texts of --help, made from the table of flags.
#pragma once

#include <string>

#include "colonnade/cli/flag_table.h"

namespace colonnade::cli {

std::string program_help();
/// `columns`: where lines are broken.
std::string command_help(const Command& command, int columns);

/// "-m, --model FILE"
std::string flag_heading(const Flag& flag);

}  // namespace colonnade::cli
