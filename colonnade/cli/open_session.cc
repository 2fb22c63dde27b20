#include "colonnade/cli/open_session.h"

#include <numeric>

#include "colonnade/base/env.h"
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

}  // namespace

std::string_view file_name(std::string_view path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::unique_ptr<Session> open_session(const ModelOptions& options) {
  const std::string isa =
      options.isa.empty() ? environment_variable("COLONNADE_ISA").value_or("") : options.isa;
  as_usage([&] { return choose_table(isa).name; });
  SessionOptions session;
  session.model = options.path;
  session.threads = options.threads;
  session.context = context_of(options);
  session.chunk = options.chunk;
  session.precision = options.precision;
  session.cache = options.cache;
  session.isa = isa;
  ProgressLine bar(!options.quiet);
  const std::string label = concat("loading ", file_name(options.path));
  session.progress = [&](std::span<const int64_t> done, int64_t all) {
    check_interrupt();
    bar.show(label, std::accumulate(done.begin(), done.end(), int64_t{0}), all);
  };
  return std::make_unique<Session>(session);
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
