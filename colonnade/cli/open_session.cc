#include "colonnade/cli/open_session.h"

#include <numeric>

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
  const std::string label = concat("loading ", file_name(options.path));
  session.progress = [&](std::span<const int64_t> done, int64_t all) {
    check_interrupt();
    bar.show(label, std::accumulate(done.begin(), done.end(), int64_t{0}), all);
  };
  return naming_flags([&] { return std::make_unique<Session>(session); });
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
