// The command line, taken apart by the table of flags.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/cli/flag_table.h"

namespace colonnade::cli {

struct Argument {
  const Flag* flag = nullptr;
  std::string value;  // empty for a switch
};

/// One command and what came with it.
class Arguments {
 public:
  /// `words` stand behind the program's name and the command's. A flag's value is the next word,
  /// whatever it begins with, or stands behind a =. Throws UsageError: an unknown flag (with the
  /// nearest one), a value that is missing or not wanted, a flag that this version cannot honour.
  Arguments(const Command& command, std::span<const std::string> words);

  const Command& command() const { return command_; }
  /// Words that belong to no flag.
  const std::vector<std::string>& words() const { return words_; }

  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// The last value of the flag `name`; nothing when it did not come.
  std::optional<std::string> text(std::string_view name) const;
  /// All values in order.
  std::vector<std::string> texts(std::string_view name) const;
  /// Throws UsageError if it is no integer in the range.
  std::optional<int64_t> integer(std::string_view name, int64_t least,
                                 int64_t most = std::numeric_limits<int64_t>::max()) const;
  /// A list with commas. Throws UsageError as integer() does.
  std::vector<int64_t> integers(std::string_view name, int64_t least,
                                std::vector<int64_t> absent) const;
  /// "nan" and "inf" are numbers here. Throws UsageError if it is none.
  std::optional<float> number(std::string_view name) const;
  /// A list of numbers above 0 with commas; none when the flag did not come. Throws UsageError.
  std::vector<double> numbers(std::string_view name) const;
  /// A list of sizes above 0 in bytes: "16G,512M"; K, M, G, T are powers of 1024, and a B or iB may
  /// follow. None when the flag did not come. Throws UsageError.
  std::vector<int64_t> sizes(std::string_view name) const;
  /// Which of the flag's choices, in upper or lower case. Throws UsageError if it is none of them.
  std::optional<size_t> choice(std::string_view name) const;

 private:
  const Argument* find(std::string_view name) const;
  /// Takes the flag words[at], and its value; returns the index behind them.
  size_t take_flag(std::span<const std::string> words, size_t at);

  const Command& command_;
  std::vector<Argument> arguments_;
  std::vector<std::string> words_;
};

}  // namespace colonnade::cli
