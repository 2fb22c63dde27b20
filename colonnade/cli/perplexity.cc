// colonnade perplexity: how well a model predicts a text. The method is llama-perplexity's: the
// text's tokens are cut into windows, each a sequence of its own, and the second half of each
// window is scored.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/math.h"
#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/interrupt.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/open_session.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/cli/text_input.h"

namespace colonnade::cli {
namespace {

constexpr int64_t kWindow = 512;
constexpr int64_t kFirstScored =
    kWindow / 2;  // the position whose logits are the first to be scored

/// Mean and its standard error, from sums.
class Mean {
 public:
  void add(double value) {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  int64_t count() const { return count_; }
  double mean() const { return sum_ / static_cast<double>(count_); }
  double standard_error() const {
    if (count_ < 2) return 0;
    const double variance = squares_ / static_cast<double>(count_) - mean() * mean();
    return std::sqrt(std::max(0.0, variance) / static_cast<double>(count_ - 1));
  }

 private:
  int64_t count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

struct Perplexity {
  double value = 0;
  double error = 0;  // standard error
  double loss = 0;   // mean negative log-likelihood, in nats
  int64_t scored = 0;
  int64_t windows = 0;
};

std::vector<std::span<const int32_t>> cut_windows(std::span<const int32_t> ids) {
  std::vector<std::span<const int32_t>> windows;
  for (; ids.size() >= kWindow; ids = ids.subspan(kWindow)) windows.push_back(ids.first(kWindow));
  return windows;
}

Perplexity measure(Session& session, std::span<const int32_t> ids, bool quiet) {
  const text::Tokenizer& tokenizer = session.tokenizer();
  const bool starts_with_bos = tokenizer.bos() >= 0 && ids.front() == tokenizer.bos();
  const std::vector<std::span<const int32_t>> windows = cut_windows(ids);
  Mean loss;
  ProgressLine bar(!quiet);
  for (size_t i = 0; i < windows.size(); ++i) {
    std::vector<int32_t> window(windows[i].begin(), windows[i].end());
    if (starts_with_bos) window.front() = tokenizer.bos();
    const auto progress = [&](int64_t done) {
      check_interrupt();
      const std::string label =
          i == 0 ? "perplexity" : fmt::format("perplexity {:.4f}", math::exp(loss.mean()));
      bar.show(label, static_cast<int64_t>(i) * kWindow + done,
               static_cast<int64_t>(windows.size()) * kWindow);
    };
    const auto score = [&](int64_t at, std::span<const float> logits) {
      const int32_t next = window[static_cast<size_t>(at + 1)];
      const double logit = logits[static_cast<size_t>(next)];
      loss.add(log_probabilities(logits, 0).log_normalizer - logit);
      progress(at + 1);
    };
    // The last token has no successor that it could predict.
    session.generator().evaluate(std::span(window).first(kWindow - 1), kFirstScored, score);
  }
  const double value = math::exp(loss.mean());
  return {value, value * loss.standard_error(), loss.mean(), loss.count(),
          static_cast<int64_t>(windows.size())};
}

}  // namespace

int perplexity(const PerplexityOptions& options) {
  catch_interrupts();
  const std::string text = read_text_input(options.text);
  ModelOptions model = options.model;
  model.context = kWindow;
  const std::unique_ptr<Session> session = open_session(model);
  const std::vector<int32_t> ids = encode_text(session->tokenizer(), text, options.text);
  if (static_cast<int64_t>(ids.size()) < kWindow)
    throw UsageError(concat("the text has ", ids.size(), " tokens: expected at least ", kWindow,
                            " (one window)"));
  const Perplexity result = measure(*session, ids, model.quiet);
  if (options.json) {
    print_line(to_line({{"perplexity", result.value},
                        {"standard_error", result.error},
                        {"loss", result.loss},
                        {"tokens", ids.size()},
                        {"scored_tokens", result.scored},
                        {"windows", result.windows},
                        {"n_ctx", kWindow},
                        {"precision", name_of(session->precision())}}));
  } else {
    print_line(fmt::format("perplexity {:.4f} +/- {:.4f} ({} windows of {} tokens, {} scored, {})",
                           result.value, result.error, result.windows, kWindow, result.scored,
                           name_of(session->precision())));
  }
  return kOk;
}

}  // namespace colonnade::cli
