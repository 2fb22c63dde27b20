#include "colonnade/cli/open_session.h"

#include <algorithm>

#include "colonnade/base/env.h"
#include "colonnade/base/text_file.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/device/isa.h"

namespace colonnade::cli {
namespace {

/// The context that Session is to have; 0: its default.
int64_t context_of(const ModelOptions& options) {
  if (!options.context) return 0;
  const int64_t longest = describe_model(options.path).context;
  if (*options.context > longest)
    throw UsageError(concat("--ctx-size: expected at most ", longest,
                            " positions (the model's), got ", *options.context));
  return *options.context == 0 ? longest : *options.context;
}

/// COLONNADE_ISA may name one instruction set for each rank: "avx2,scalar".
void choose_isa(const ModelOptions& options, SessionOptions& session) {
  const std::string names =
      options.isa.empty() ? environment_variable("COLONNADE_ISA").value_or("") : options.isa;
  const std::vector<std::string_view> each = split(names, ',');
  for (const std::string_view name : each)
    as_usage([&] { return choose_table(std::string(name)).name; });
  if (each.size() <= 1) {
    session.isa = names;
    return;
  }
  if (static_cast<int64_t>(each.size()) != session.ranks)
    throw UsageError(concat("COLONNADE_ISA: expected one instruction set, or one for each of ",
                            session.ranks, " ranks, got ", each.size()));
  for (const std::string_view name : each)
    session.each.push_back({.threads = 0, .isa = std::string(name)});
}

int percent_of(const LoadedBytes& loaded) {
  return loaded.all > 0 ? static_cast<int>(loaded.done * 100 / loaded.all) : 100;
}

/// The bar is of all ranks together; the slowest one is named.
void show_loading(ProgressLine& bar, std::string_view path, std::span<const LoadedBytes> ranks) {
  LoadedBytes sum;
  for (const LoadedBytes& rank : ranks) sum = {sum.done + rank.done, sum.all + rank.all};
  std::string label = concat("loading ", file_name(path));
  if (ranks.size() > 1) {
    const auto slowest = std::min_element(
        ranks.begin(), ranks.end(),
        [](const LoadedBytes& a, const LoadedBytes& b) { return percent_of(a) < percent_of(b); });
    label += concat(", rank ", slowest - ranks.begin(), " of ", ranks.size(), " is at ",
                    percent_of(*slowest), " %");
  }
  bar.show(label, sum.done, sum.all);
}

}  // namespace

std::string_view file_name(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::unique_ptr<Session> open_session(const ModelOptions& options) {
  SessionOptions session;
  session.model = options.path;
  session.ranks = options.cut.ranks;
  session.shares = options.cut.shares;
  session.measured_shares = options.cut.auto_shares;
  session.ranks_as = options.cut.as;
  session.timeout_s = options.cut.timeout_s;
  session.threads = options.threads;
  choose_isa(options, session);
  session.context = context_of(options);
  session.chunk = options.chunk;
  session.precision = options.precision;
  session.cache = options.cache;
  ProgressLine bar(!options.quiet);
  session.progress = [&](std::span<const LoadedBytes> ranks) {
    check_interrupt();
    show_loading(bar, options.path, ranks);
  };
  std::unique_ptr<Session> opened =
      naming_flags([&] { return std::make_unique<Session>(session); });
  for (const std::string& warning : opened->warnings())
    note(concat("colonnade: warning: ", warning, "\n"));
  return opened;
}

std::vector<int32_t> encode_text(const text::Tokenizer& tokenizer, std::string_view text,
                                 const TextOptions& options) {
  const auto special = options.parse_special ? text::ParseSpecial::yes : text::ParseSpecial::no;
  const auto around = options.add_bos ? text::AddSpecial::yes : text::AddSpecial::no;
  return as_usage([&] { return tokenizer.encode(text, special, around); });
}

void check_prompt(const Session& session, std::span<const int32_t> prompt) {
  if (prompt.empty()) throw UsageError("the prompt is empty: expected at least one token");
  const auto size = static_cast<int64_t>(prompt.size());
  if (size > session.context())
    throw UsageError(concat("the prompt has ", size, " tokens, the context ", session.context(),
                            ": shorten the prompt or choose a longer context (--ctx-size)"));
}

}  // namespace colonnade::cli
