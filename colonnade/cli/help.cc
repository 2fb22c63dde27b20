#include "colonnade/cli/help.h"

#include <algorithm>

#include <fmt/format.h>

#include "colonnade/base/text_file.h"

namespace colonnade::cli {
namespace {

constexpr size_t kIndent = 26;

/// `text` broken between words into lines of at most `columns`, those behind the first indented.
std::string wrapped(std::string_view text, size_t columns) {
  std::string page;
  size_t used = kIndent;
  for (const std::string_view word : split(text, ' ')) {
    if (used + 1 + word.size() > columns && used > kIndent) {
      page += "\n" + std::string(kIndent, ' ');
      used = kIndent;
    } else if (used > kIndent) {
      page += ' ';
      ++used;
    }
    page += word;
    used += word.size();
  }
  return page;
}

std::string flag_help(const Flag& flag, size_t columns) {
  const std::string heading = "  " + flag_heading(flag);
  const bool fits = heading.size() + 2 <= kIndent;
  const std::string gap =
      fits ? std::string(kIndent - heading.size(), ' ') : "\n" + std::string(kIndent, ' ');
  return heading + gap + wrapped(flag.help, columns) + "\n";
}

std::string indented(std::string_view lines) {
  std::string page;
  for (const std::string_view line : split(lines, '\n')) page += fmt::format("  {}\n", line);
  return page;
}

}  // namespace

std::string flag_heading(const Flag& flag) {
  std::vector<std::string_view> spellings = flag.spellings();
  std::stable_sort(spellings.begin(), spellings.end(), [](std::string_view a, std::string_view b) {
    return !a.starts_with("--") && b.starts_with("--");
  });
  std::string heading = fmt::format("{}", fmt::join(spellings, ", "));
  if (flag.takes_value()) heading += fmt::format(" {}", flag.value);
  return heading;
}

std::string program_help() {
  std::string page =
      "colonnade runs transformer language models.\n\nUsage: colonnade COMMAND "
      "[FLAGS]\n\nCommands\n";
  for (const Command& command : all_commands())
    page += fmt::format("  {:<12}{}\n", command.name, command.summary);
  return page +
         "\n  colonnade COMMAND --help  its flags and examples\n  colonnade "
         "--version\n\nEnvironment\n"
         "  COLONNADE_ISA  instruction set: scalar, avx2, avxvnni, avx512, avx512vnni, amx;\n"
         "                 on Arm scalar, neon, neondot\n"
         "  NO_COLOR       no styles on the terminal\n\nExit codes\n"
         "  0 done, 1 failed, 2 wrong usage or input, 130 interrupted, 141 nobody reads the "
         "output\n\n"
         "Example\n  colonnade chat -m model.gguf -p \"What is the capital of France?\"\n";
}

std::string command_help(const Command& command, int columns) {
  const auto width = static_cast<size_t>(std::clamp(columns, 60, 110));
  std::string page = fmt::format("colonnade {}: {}\n", command.name, command.summary);
  std::string_view group;
  for (const Flag& flag : all_flags()) {
    if (!flag.belongs_to(command.name)) continue;
    if (flag.group != group) page += fmt::format("\n{}\n", flag.group);
    group = flag.group;
    page += flag_help(flag, width);
  }
  return page + "\nExamples\n" + indented(command.examples);
}

}  // namespace colonnade::cli
