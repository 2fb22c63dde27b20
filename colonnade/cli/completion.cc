// colonnade completion: scripts for shells and the man page, made from the table of flags.
#include <algorithm>

#include <fmt/format.h>

#include "colonnade/base/quote.h"
#include "colonnade/base/text_file.h"
#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/help.h"
#include "colonnade/cli/terminal.h"

namespace colonnade::cli {
namespace {

constexpr std::string_view kShells = "bash zsh fish man";

std::vector<const Flag*> flags_of(std::string_view command) {
  std::vector<const Flag*> flags;
  for (const Flag& flag : all_flags()) {
    if (flag.belongs_to(command)) flags.push_back(&flag);
  }
  return flags;
}

std::string command_names() {
  std::vector<std::string_view> names;
  for (const Command& command : all_commands()) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash_case(const Command& command) {
  std::vector<std::string_view> all;
  std::string values;
  for (const Flag* flag : flags_of(command.name)) {
    const std::vector<std::string_view> spellings = flag->spellings();
    all.insert(all.end(), spellings.begin(), spellings.end());
    const std::string pattern = fmt::format("{}", fmt::join(spellings, "|"));
    if (flag->value == "FILE") {
      values +=
          fmt::format("        {}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", pattern);
    } else if (flag->takes_value()) {
      values += fmt::format("        {}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n",
                            pattern, fmt::join(flag->choices(), " "));
    }
  }
  const std::string words = command.name == "completion" ? std::string(kShells) + " " : "";
  return fmt::format("    {})\n      case \"$prev\" in\n{}      esac\n      words=\"{}{}\" ;;\n",
                     command.name, values, words, fmt::join(all, " "));
}

std::string bash() {
  std::string script =
      "# bash completion for colonnade\n_colonnade() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" words=\"\"\n"
      "  COMPREPLY=()\n  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  script += fmt::format(
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$cur\"))\n    return\n  fi\n",
      command_names());
  script += "  case \"${COMP_WORDS[1]}\" in\n";
  for (const Command& command : all_commands()) script += bash_case(command);
  return script +
         "  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\n"
         "complete -o filenames -F _colonnade colonnade\n";
}

/// For a string in single quotes inside _arguments, where [ ] and : have a meaning.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string zsh_flag(const Flag& flag) {
  std::string lines;
  std::string action;
  if (flag.value == "FILE") {
    action = ":file:_files";
  } else if (!flag.choices().empty()) {
    action = fmt::format(":value:({})", fmt::join(flag.choices(), " "));
  } else if (flag.takes_value()) {
    action = fmt::format(":{}: ", zsh_text(flag.value));
  }
  for (const std::string_view spelling : flag.spellings())
    lines += fmt::format(" \\\n        '*{}[{}]{}'", spelling, zsh_text(flag.help), action);
  return lines;
}

std::string zsh() {
  std::string script =
      "#compdef colonnade\n# zsh completion for colonnade\n_colonnade() {\n"
      "  if (( CURRENT == 2 )); then\n    local -a commands=(\n";
  for (const Command& command : all_commands())
    script += fmt::format("      '{}:{}'\n", command.name, zsh_text(command.summary));
  script +=
      "    )\n    _describe command commands\n    return\n  fi\n  local name=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n  case $name in\n";
  for (const Command& command : all_commands()) {
    script += fmt::format("    {})\n      _arguments", command.name);
    for (const Flag* flag : flags_of(command.name)) script += zsh_flag(*flag);
    if (command.name == "completion") script += fmt::format(" \\\n        '1:shell:({})'", kShells);
    script += " ;;\n";
  }
  return script + "  esac\n}\n_colonnade \"$@\"\n";
}

std::string fish_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string fish_flag(std::string_view command, const Flag& flag) {
  std::string line =
      fmt::format("complete -c colonnade -n '__fish_seen_subcommand_from {}'", command);
  for (const std::string_view spelling : flag.spellings()) {
    const bool is_long = spelling.starts_with("--");
    const char* kind = is_long ? "-l" : spelling.size() == 2 ? "-s" : "-o";
    line += fmt::format(" {} {}", kind, spelling.substr(is_long ? 2 : 1));
  }
  if (flag.value == "FILE") {
    line += " -r -F";
  } else if (!flag.choices().empty()) {
    line += fmt::format(" -x -a '{}'", fmt::join(flag.choices(), " "));
  } else if (flag.takes_value()) {
    line += " -x";
  }
  return line + fmt::format(" -d '{}'\n", fish_text(flag.help));
}

std::string fish() {
  std::string script = "# fish completion for colonnade\ncomplete -c colonnade -f\n";
  for (const Command& command : all_commands())
    script += fmt::format("complete -c colonnade -n __fish_use_subcommand -a {} -d '{}'\n",
                          command.name, fish_text(command.summary));
  for (const Command& command : all_commands()) {
    for (const Flag* flag : flags_of(command.name)) script += fish_flag(command.name, *flag);
  }
  return script +
         fmt::format("complete -c colonnade -n '__fish_seen_subcommand_from completion' -a '{}'\n",
                     kShells);
}

/// roff: a backslash and a dash have a meaning, and so has a dot or a quote at the start of a line.
std::string roff(std::string_view text) {
  std::string escaped;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    at_start = c == '\n';
  }
  return escaped;
}

std::string man_command(const Command& command) {
  std::string page =
      fmt::format(".SS \"colonnade {}\"\n{}.\n", command.name, roff(command.summary));
  for (const Flag* flag : flags_of(command.name))
    page += fmt::format(".TP\n.B \"{}\"\n{}\n", roff(flag_heading(*flag)), roff(flag->help));
  return page + fmt::format(".PP\nExamples:\n.nf\n{}\n.fi\n", roff(command.examples));
}

std::string man() {
  std::string page = ".TH COLONNADE 1 \"\" \"colonnade " COLONNADE_VERSION
                     "\" \"User Commands\"\n"
                     ".SH NAME\ncolonnade \\- run transformer language models\n"
                     ".SH SYNOPSIS\n.B colonnade\n.I COMMAND\n[\\fIFLAGS\\fR]\n.SH COMMANDS\n";
  for (const Command& command : all_commands()) page += man_command(command);
  return page +
         ".SH ENVIRONMENT\n.TP\n.B COLONNADE_ISA\nInstruction set: scalar, avx2, avxvnni, avx512, "
         "avx512vnni or amx; on Arm scalar, neon or neondot.\n"
         ".TP\n.B NO_COLOR\nNo styles on the terminal.\n"
         ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nA file, the machine or the model failed.\n"
         ".TP\n.B 2\nWrong usage or input.\n.TP\n.B 130\nInterrupted.\n"
         ".TP\n.B 141\nNobody reads the output.\n";
}

}  // namespace

int completion(const std::string& what) {
  if (what == "bash") {
    print(bash());
  } else if (what == "zsh") {
    print(zsh());
  } else if (what == "fish") {
    print(fish());
  } else if (what == "man") {
    print(man());
  } else {
    throw UsageError(concat("completion: expected bash, zsh, fish or man, got ", quote(what)));
  }
  return kOk;
}

}  // namespace colonnade::cli
