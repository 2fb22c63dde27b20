// The one table of commands and flags: parsing, suggestions, help, completions and the man page are
// made from it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace colonnade::cli {

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view examples;  // lines
};

struct Flag {
  std::string_view name;      // the canonical spelling: "--threads"
  std::string_view synonyms;  // other spellings, separated by spaces: "-t --num-threads"
  std::string_view
      value;  // what stands for the value: "N", "FILE", "int8|int15|f32"; empty: a switch
  std::string_view commands;  // those that know the flag, separated by spaces
  std::string_view group;     // the heading in the help
  std::string_view help;

  bool takes_value() const { return !value.empty(); }
  bool belongs_to(std::string_view command) const;
  /// Canonical first.
  std::vector<std::string_view> spellings() const;
  /// "int8", "int15", "f32"; empty when any value is one.
  std::vector<std::string_view> choices() const;
};

/// A flag of other engines that this version cannot honour; `reason` is what the user reads.
struct UnsupportedFlag {
  std::string_view spellings;  // separated by spaces
  std::string_view harmless;   // the value that asks for what there is anyway, or empty
  std::string_view reason;
};

std::span<const Command> all_commands();
std::span<const Flag> all_flags();
std::span<const UnsupportedFlag> unsupported_flags();

/// Null when there is none.
const Command* find_command(std::string_view name);
/// The flag of `command` that `spelling` names; _ counts as -. Null when there is none.
const Flag* find_flag(std::string_view command, std::string_view spelling);
const UnsupportedFlag* find_unsupported(std::string_view spelling);

/// The spelling among `command`'s flags that is nearest to a wrong one; empty when none is near.
std::string_view nearest_flag(std::string_view command, std::string_view wrong);
std::string_view nearest_command(std::string_view wrong);

}  // namespace colonnade::cli
