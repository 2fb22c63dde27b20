#include "colonnade/cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "colonnade/base/quote.h"
#include "colonnade/base/text_file.h"
#include "colonnade/cli/exit_codes.h"

namespace colonnade::cli {
namespace {

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

template <typename T>
std::optional<T> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "16G", "1.5GiB", "4096"
std::optional<int64_t> parse_size(std::string_view text) {
  constexpr std::string_view kPrefixes = "kmgt";
  if (text.ends_with("iB")) {
    text.remove_suffix(2);
  } else if (text.ends_with('B')) {
    text.remove_suffix(1);
  }
  double scale = 1;
  const char last = text.empty() ? ' ' : static_cast<char>(text.back() | 0x20);  // lower case
  if (const size_t power = kPrefixes.find(last); power != std::string_view::npos) {
    for (size_t i = 0; i <= power; ++i) scale *= 1024;
    text.remove_suffix(1);
  }
  const std::optional<double> value = parse_number<double>(text);
  if (!value || !(*value * scale >= 1) || *value * scale > 0x1p62) return std::nullopt;
  return static_cast<int64_t>(*value * scale);
}

[[noreturn]] void refuse_unknown(const Command& command, std::string_view spelling) {
  std::string message = concat("unknown flag ", spelling);
  if (const std::string_view nearest = nearest_flag(command.name, spelling); !nearest.empty())
    message += concat("; did you mean ", nearest, "?");
  for (const Command& other : all_commands()) {
    if (find_flag(other.name, spelling) != nullptr) {
      message += concat(" (`colonnade ", other.name, "` has ", spelling, ")");
      break;
    }
  }
  throw UsageError(concat(message, " See colonnade ", command.name, " --help"));
}

/// Splits "-t4" into "-t" and "4" when -t is a flag that wants a value; the second is empty
/// otherwise.
std::pair<std::string, std::string> split_attached(const Command& command,
                                                   const std::string& word) {
  const bool is_attached = word.size() > 2 && word[1] != '-' && parse_number<float>(word.substr(2));
  if (!is_attached) return {word, ""};
  const Flag* flag = find_flag(command.name, word.substr(0, 2));
  if (flag == nullptr || !flag->takes_value()) return {word, ""};
  return {word.substr(0, 2), word.substr(2)};
}

}  // namespace

Arguments::Arguments(const Command& command, std::span<const std::string> words)
    : command_(command) {
  for (size_t at = 0; at < words.size();) {
    const std::string& word = words[at];
    if (word == "--") {
      words_.insert(words_.end(), words.begin() + static_cast<ptrdiff_t>(at) + 1, words.end());
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      words_.push_back(word);
      ++at;
    } else {
      at = take_flag(words, at);
    }
  }
}

size_t Arguments::take_flag(std::span<const std::string> words, size_t at) {
  const std::string& word = words[at];
  const size_t equals = word.find('=');
  std::string spelling = word.substr(0, equals);
  std::optional<std::string> value;
  if (equals != std::string::npos) value = word.substr(equals + 1);
  const Flag* flag = find_flag(command_.name, spelling);
  if (flag == nullptr && !value) {
    auto [start, rest] = split_attached(command_, word);
    if (!rest.empty()) {
      spelling = start;
      value = rest;
      flag = find_flag(command_.name, spelling);
    }
  }
  const bool next_is_value = !value && at + 1 < words.size();
  if (flag == nullptr) {
    const UnsupportedFlag* unsupported = find_unsupported(spelling);
    if (unsupported == nullptr) refuse_unknown(command_, spelling);
    const std::string given = value ? *value : next_is_value ? words[at + 1] : "";
    if (unsupported->harmless.empty() || given != unsupported->harmless)
      throw UsageError(concat(spelling, ": ", unsupported->reason));
    return at + (value ? 1 : 2);
  }
  if (!flag->takes_value()) {
    if (value) throw UsageError(concat(spelling, ": expected no value, got ", quote(*value)));
    arguments_.push_back({flag, ""});
    return at + 1;
  }
  if (!value && !next_is_value)
    throw UsageError(concat(spelling, ": expected a value (", flag->value, ")"));
  arguments_.push_back({flag, value ? *value : words[at + 1]});
  return at + (value ? 1 : 2);
}

const Argument* Arguments::find(std::string_view name) const {
  CN_ASSERT(find_flag(command_.name, name) != nullptr, command_.name, " has no flag ", name);
  for (auto it = arguments_.rbegin(); it != arguments_.rend(); ++it) {
    if (it->flag->name == name) return &*it;
  }
  return nullptr;
}

std::optional<std::string> Arguments::text(std::string_view name) const {
  const Argument* argument = find(name);
  return argument == nullptr ? std::nullopt : std::optional(argument->value);
}

std::vector<std::string> Arguments::texts(std::string_view name) const {
  std::vector<std::string> values;
  for (const Argument& argument : arguments_) {
    if (argument.flag->name == name) values.push_back(argument.value);
  }
  return values;
}

std::optional<int64_t> Arguments::integer(std::string_view name, int64_t least,
                                          int64_t most) const {
  const Argument* argument = find(name);
  if (argument == nullptr) return std::nullopt;
  const std::optional<int64_t> value = parse_integer(argument->value);
  if (value && *value >= least && *value <= most) return value;
  const bool is_bounded = most != std::numeric_limits<int64_t>::max();
  throw UsageError(concat(name, ": expected an integer from ", least,
                          is_bounded ? concat(" to ", most) : " on", ", got ",
                          quote(argument->value)));
}

std::vector<int64_t> Arguments::integers(std::string_view name, int64_t least,
                                         std::vector<int64_t> absent) const {
  const Argument* argument = find(name);
  if (argument == nullptr) return absent;
  std::vector<int64_t> values;
  for (const std::string_view part : split(argument->value, ',')) {
    const std::optional<int64_t> value = parse_integer(part);
    if (!value || *value < least)
      throw UsageError(concat(name, ": expected integers from ", least,
                              " on with commas between, got ", quote(argument->value)));
    values.push_back(*value);
  }
  if (values.empty()) throw UsageError(concat(name, ": expected at least one integer, got ''"));
  return values;
}

std::optional<float> Arguments::number(std::string_view name) const {
  const Argument* argument = find(name);
  if (argument == nullptr) return std::nullopt;
  const std::optional<float> value = parse_number<float>(argument->value);
  if (!value) throw UsageError(concat(name, ": expected a number, got ", quote(argument->value)));
  return value;
}

std::vector<double> Arguments::numbers(std::string_view name) const {
  std::vector<double> values;
  const Argument* argument = find(name);
  if (argument == nullptr) return values;
  for (const std::string_view part : split(argument->value, ',')) {
    const std::optional<double> value = parse_number<double>(part);
    if (!value || !(*value > 0) || std::isinf(*value))
      throw UsageError(concat(name, ": expected numbers above 0 with commas between, got ",
                              quote(argument->value)));
    values.push_back(*value);
  }
  if (values.empty()) throw UsageError(concat(name, ": expected at least one number, got ''"));
  return values;
}

std::vector<int64_t> Arguments::sizes(std::string_view name) const {
  std::vector<int64_t> values;
  const Argument* argument = find(name);
  if (argument == nullptr) return values;
  for (const std::string_view part : split(argument->value, ',')) {
    const std::optional<int64_t> value = parse_size(part);
    if (!value)
      throw UsageError(concat(name,
                              ": expected sizes such as 16G or 512M with commas between, got ",
                              quote(argument->value)));
    values.push_back(*value);
  }
  if (values.empty()) throw UsageError(concat(name, ": expected at least one size, got ''"));
  return values;
}

std::optional<size_t> Arguments::choice(std::string_view name) const {
  const Argument* argument = find(name);
  if (argument == nullptr) return std::nullopt;
  const std::vector<std::string_view> choices = argument->flag->choices();
  const auto it = std::find_if(choices.begin(), choices.end(), [&](std::string_view choice) {
    return same_but_for_case(choice, argument->value);
  });
  if (it == choices.end())
    throw UsageError(
        concat(name, ": expected ", argument->flag->value, ", got ", quote(argument->value)));
  return static_cast<size_t>(it - choices.begin());
}

}  // namespace colonnade::cli
