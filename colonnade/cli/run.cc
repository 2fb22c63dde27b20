// colonnade run: complete a prompt.
#include <nlohmann/json.hpp>

#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/logits_file.h"
#include "colonnade/cli/meters.h"
#include "colonnade/cli/open_session.h"
#include "colonnade/cli/receipt_file.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/cli/text_input.h"

namespace colonnade::cli {
namespace {

using nlohmann::ordered_json;

ordered_json logprobs_json(const text::Tokenizer& tokenizer, const TokenEvent& event) {
  ordered_json top = ordered_json::array();
  for (const TokenLogProbability& entry : event.logprobs->top)
    top.push_back({{"id", entry.id},
                   {"token", tokenizer.token_text(entry.id)},
                   {"logprob", entry.log_probability}});
  return {{"id", event.id},
          {"token", tokenizer.token_text(event.id)},
          {"logprob", event.logprobs->chosen},
          {"top", std::move(top)}};
}

ordered_json ranks_json(const Session& session) {
  ordered_json ranks = ordered_json::array();
  for (const RankReport& rank : session.rank_reports())
    ranks.push_back({{"device", rank.device},
                     {"threads", rank.threads},
                     {"weight_bytes", rank.weight_bytes},
                     {"bytes_per_token", rank.bytes_per_token},
                     {"multiply_adds_per_token", rank.multiply_adds},
                     {"file_bytes", rank.file_bytes}});
  return ranks;
}

/// Runs one request; prints text as it comes unless JSON is wanted.
class Run {
 public:
  explicit Run(const RunOptions& options) : options_(options) {
    const std::string text = read_text_input(options.prompt);
    if (!options.logits_file.empty()) logits_.emplace(options.logits_file);
    if (!options.receipt_file.empty()) receipt_.emplace(options.receipt_file, options.model);
    session_ = open_session(options.model);
    request_.prompt = encode_text(session_->tokenizer(), text, options.prompt);
    check_prompt(*session_, request_.prompt);
    as_usage([&] { validate(options.answer.sampling, session_->vocab()); });
    request_.sampling = options.answer.sampling;
    request_.stop = options.answer.stop;
    request_.ignore_stop_tokens = options.ignore_eos;
    request_.choice = options.choice;
    request_.wants_logprobs = options.logprobs.has_value();
    request_.wants_logits = logits_ || receipt_;
    request_.logprobs = options.logprobs.value_or(0);
  }

  void execute() {
    ProgressLine bar(!options_.model.quiet);
    request_.on_prompt = prompt_meter(bar);
    result_ = session_->generator().generate(
        request_, [this](const TokenEvent& event) { return take(event); });
    if (is_interrupted()) {
      if (!options_.json) print("\n");
      throw Interrupted();
    }
    if (logits_) logits_->finish(session_->vocab());
    if (receipt_) receipt_->finish(*session_, request_, result_.seed);
    print_line(options_.json ? to_line(report()) : "");
    const bool shows_speed = options_.answer.timings || (stderr_is_terminal() && !options_.json);
    if (shows_speed && !options_.model.quiet)
      note(styled(2, Style::dim,
                  concat(load_line(*session_), "\n", speed_line(*session_, result_.timings))) +
           "\n");
  }

 private:
  bool take(const TokenEvent& event) {
    if (is_interrupted()) return false;
    if (logits_) logits_->add(event.logits);
    if (receipt_) receipt_->add(event);
    if (event.logprobs != nullptr) logprobs_.push_back(logprobs_json(session_->tokenizer(), event));
    if (!options_.json) print(event.text);
    return true;
  }

  ordered_json report() const {
    const auto prompt = static_cast<int64_t>(request_.prompt.size());
    const auto answer = static_cast<int64_t>(result_.tokens.size());
    ordered_json report = {{"model", options_.model.path},
                           {"prompt_ids", request_.prompt},
                           {"tokens", result_.tokens},
                           {"text", result_.text},
                           {"finish_reason", name_of(result_.finish_reason)},
                           {"seed", result_.seed},
                           {"precision", name_of(session_->precision())},
                           {"device", session_->device()},
                           {"ranks", ranks_json(*session_)},
                           {"usage",
                            {{"prompt_tokens", prompt},
                             {"completion_tokens", answer},
                             {"total_tokens", prompt + answer}}},
                           {"timings", timings_json(*session_, result_.timings)}};
    report["timings"].update(load_json(*session_));
    if (options_.logprobs) report["logprobs"] = logprobs_;
    return report;
  }

  const RunOptions& options_;
  std::optional<LogitsFile> logits_;
  std::optional<ReceiptFile> receipt_;
  std::unique_ptr<Session> session_;
  GenerationRequest request_;
  GenerationResult result_;
  ordered_json logprobs_ = ordered_json::array();
};

}  // namespace

int run(const RunOptions& options) {
  catch_interrupts();
  Run(options).execute();
  return kOk;
}

}  // namespace colonnade::cli
