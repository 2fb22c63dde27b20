// colonnade verify: the law of bits on this machine: many ranks against one, or a receipt against
// both.
#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "colonnade/api/model_files.h"
#include "colonnade/base/env.h"
#include "colonnade/base/quote.h"
#include "colonnade/base/text_file.h"
#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/open_session.h"
#include "colonnade/cli/receipt_file.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/cli/text_input.h"
#include "colonnade/cli/verify_report.h"

namespace colonnade::cli {
namespace {

/// The same model on one rank, with what the first of several has.
ModelOptions on_one_rank(ModelOptions options) {
  options.cut = {};
  const std::string isa = environment_variable("COLONNADE_ISA").value_or("");
  if (options.isa.empty() && isa.find(',') != std::string::npos)
    options.isa = split(isa, ',').front();
  return options;
}

std::vector<VerifyPrompt> prompts_of(const VerifyOptions& options, int64_t context) {
  const text::Tokenizer tokenizer = load_tokenizer(options.model.path);
  const int64_t longest = context - options.steps;
  if (longest < 1)
    throw UsageError(concat("--max-tokens: expected at most ", context - 1,
                            " (the model's context without a prompt of one token), got ",
                            options.steps));
  if (!options.prompt.given()) return builtin_prompts(tokenizer, longest);
  VerifyPrompt prompt{options.prompt.file.value_or("--prompt"),
                      encode_text(tokenizer, read_text_input(options.prompt), options.prompt)};
  const auto size = static_cast<int64_t>(prompt.tokens.size());
  if (size == 0) throw UsageError("the prompt is empty: expected at least one token");
  if (size > longest)
    throw UsageError(concat("the prompt has ", size, " tokens and ", options.steps,
                            " (--max-tokens) shall follow, the model's context has ", context,
                            ": shorten it"));
  return {std::move(prompt)};
}

/// Ranks against one, precision by precision.
class RanksCheck {
 public:
  explicit RanksCheck(const VerifyOptions& options)
      : options_(options), model_(options.model), bar_(!options.model.quiet) {
    const ModelDescription description = describe_model(model_.path);
    request_.steps = options.steps;
    request_.prompts = prompts_of(options, description.context);
    int64_t longest = 0;
    for (const VerifyPrompt& prompt : request_.prompts) {
      const auto size = static_cast<int64_t>(prompt.tokens.size());
      longest = std::max(longest, size);
      units_ += (size + model_.chunk - 1) / model_.chunk + options.steps;
    }
    units_ *= 2 * static_cast<int64_t>(options.precisions.size());  // with the reference
    model_.context = longest + options.steps;
    request_.on_progress = [this] {
      check_interrupt();
      ++done_;
      bar_.show("verifying", done_, std::max(units_, done_));
    };
    report_.path = model_.path;
    report_.ranks = model_.cut.ranks;
    report_.vocab = description.vocab;
  }

  int execute() {
    for (const Tier precision : options_.precisions) {
      const VerifyReport::Part& part = check(precision);
      bar_.clear();
      if (!options_.json) print(verify_lines(report_, part));
    }
    print_line(options_.json ? to_line(verify_json(report_)) : verify_summary(report_));
    return report_.pass() ? kOk : kFailure;
  }

 private:
  const VerifyReport::Part& check(Tier precision) {
    model_.precision = precision;
    VerifyReport::Part part;
    part.precision = precision;
    const auto open = [&](const ModelOptions& model, size_t which) {
      std::unique_ptr<Session> session = open_session(model);
      report_.devices[which] = session->device();
      part.cache = session->cache_dtype();
      return session;
    };
    request_.open = [&] { return open(model_, 0); };
    request_.open_reference = [&] { return open(on_one_rank(model_), 1); };
    part.verdicts = naming_flags([&] { return colonnade::verify(request_); });
    report_.parts.push_back(std::move(part));
    return report_.parts.back();
  }

  const VerifyOptions& options_;
  ModelOptions model_;
  VerifyRequest request_;
  VerifyReport report_;
  ProgressLine bar_;
  int64_t units_ = 0;  // chunks and tokens
  int64_t done_ = 0;
};

/// The model that a receipt names: beside the receipt, or here.
std::string find_model(const std::string& receipt_path, const Receipt& receipt) {
  namespace fs = std::filesystem;
  const std::string& name = receipt.files.front().name;
  const fs::path beside = fs::path(receipt_path).parent_path() / name;
  std::error_code ignored;
  for (const fs::path& path : {beside, fs::path(name)}) {
    if (fs::is_regular_file(path, ignored)) return path.string();
  }
  throw UsageError(concat("--model: expected the file that the receipt was made with; there is no ",
                          quote(name), " beside it or in this folder"));
}

void replay_receipt(const VerifyOptions& options, ReceiptReport& report) {
  const Receipt& receipt = report.receipt;
  check_fits(receipt, report.receipt_path, describe_model(report.model_path));
  ModelOptions model = options.model;
  model.path = report.model_path;
  model.precision = receipt.precision;
  model.cache = receipt.cache;
  model.context = static_cast<int64_t>(receipt.prompt.size() + receipt.steps.size());
  const std::unique_ptr<Session> session = open_session(model);
  report.device = session->device();
  report.vocab = session->vocab();
  report.replay = replay(*session, receipt, check_interrupt);
}

int verify_receipt(const VerifyOptions& options) {
  ReceiptReport report;
  report.receipt_path = options.receipt_file == "-" ? "standard input" : options.receipt_file;
  report.receipt = read_receipt_file(options.receipt_file);
  report.model_path = options.model.path.empty() ? find_model(options.receipt_file, report.receipt)
                                                 : options.model.path;
  report.ranks = options.model.cut.ranks;
  if (!options.json) print_line(receipt_title(report));
  report.mismatch = numerics_mismatch(report.receipt);
  if (!report.mismatch) {
    ProgressLine bar(!options.model.quiet);
    report.mismatch = weights_mismatch(report.receipt, ModelFiles(report.model_path).files(),
                                       digest_progress(bar));
  }
  if (!report.mismatch) replay_receipt(options, report);
  print_line(options.json ? to_line(receipt_json(report)) : receipt_summary(report));
  return report.pass() ? kOk : kFailure;
}

}  // namespace

int verify(const VerifyOptions& options) {
  catch_interrupts();
  if (!options.receipt_file.empty()) return verify_receipt(options);
  return RanksCheck(options).execute();
}

}  // namespace colonnade::cli
