#include "colonnade/api/verify.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "colonnade/base/error.h"
#include "colonnade/base/sha256.h"

namespace colonnade {
namespace {

constexpr int64_t kMostKeptBytes = int64_t{1} << 30;  // of logits, while the reference runs

/// The lengths, in tokens, of the prompts: one token; one more than a page of the cache; several
/// pages and, with chunks of 128, several chunks, the last of each not full.
constexpr int64_t kLengths[] = {1, 65, 300};

constexpr std::string_view kText =
    "A temple stands because its load is divided. No column carries the roof alone, and none knows "
    "how many others there are; each holds the part that lies above it, and the part is cut where "
    "the stones meet, never through one. Take two columns away, space the rest evenly, and the "
    "roof "
    "is where it was: 1 + 2 + 3 = 6, in any order, as long as the numbers are whole. ";

struct RunRecord {
  std::vector<StepRecord> steps;
  std::vector<ActivationRecord> activations;
};

/// Where a step's activations begin: their rows are the positions behind the last step's.
class ActivationLog {
 public:
  explicit ActivationLog(std::vector<ActivationRecord>& records) : records_(records) {}

  void operator()(std::string_view name, const Tensor& value) {
    if (name == "embedding") {  // the first one of a step
      first_ += rows_;
      rows_ = value.rows();
    }
    const std::span<const float> values(value.f32(), static_cast<size_t>(value.elements()));
    records_.push_back({std::string(name), first_, rows_, sha256_of(std::as_bytes(values))});
  }

 private:
  std::vector<ActivationRecord>& records_;
  int64_t first_ = 0;
  int64_t rows_ = 0;
};

std::vector<StepRecord> record_steps(Session& session, std::span<const int32_t> prompt,
                                     int64_t steps, const std::function<void()>& on_progress) {
  GenerationRequest request;
  request.prompt.assign(prompt.begin(), prompt.end());
  request.sampling.temperature = 0;
  request.stop.max_tokens = steps;
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  if (on_progress) request.on_prompt = [&](int64_t, int64_t) { on_progress(); };
  std::vector<StepRecord> records;
  session.generator().reset();
  session.generator().generate(request, [&](const TokenEvent& event) {
    if (on_progress) on_progress();
    records.push_back({event.id, {event.logits.begin(), event.logits.end()}});
    return true;
  });
  return records;
}

RunRecord record_run(Session& session, std::span<const int32_t> prompt, int64_t steps,
                     const std::function<void()>& on_progress) {
  RunRecord record;
  session.set_probe(ActivationLog(record.activations));
  record.steps = record_steps(session, prompt, steps, on_progress);
  session.set_probe({});
  return record;
}

/// Which of the prompts differ, and how many steps show it.
struct Suspect {
  const VerifyPrompt* prompt;
  PromptVerdict* verdict;
  int64_t steps() const { return verdict->difference->step + 1; }
};

std::vector<RunRecord> record_suspects(Session& session, std::span<const Suspect> suspects,
                                       const std::function<void()>& on_progress) {
  std::vector<RunRecord> records;
  for (const Suspect& suspect : suspects)
    records.push_back(record_run(session, suspect.prompt->tokens, suspect.steps(), on_progress));
  return records;
}

/// Runs what differed again, with a look at every activation.
void explain(const VerifyRequest& request, std::span<const Suspect> suspects) {
  if (suspects.empty()) return;
  const std::vector<RunRecord> runs =
      record_suspects(*request.open(), suspects, request.on_progress);
  const std::vector<RunRecord> references =
      record_suspects(*request.open_reference(), suspects, request.on_progress);
  for (size_t i = 0; i < suspects.size(); ++i) {
    PromptVerdict& verdict = *suspects[i].verdict;
    verdict.activation = first_difference(runs[i].activations, references[i].activations);
    verdict.repeated =
        verdict.activation || first_difference(runs[i].steps, references[i].steps).has_value();
  }
}

void check_kept(const VerifyRequest& request, int64_t vocab) {
  const auto prompts = static_cast<int64_t>(request.prompts.size());
  const int64_t most = kMostKeptBytes / (prompts * vocab * static_cast<int64_t>(sizeof(float)));
  CN_CHECK(request.steps >= 1 && request.steps <= most, "steps: expected 1 to ", most,
           " tokens behind each prompt (the logits of all of them are kept), got ", request.steps);
}

std::vector<std::vector<StepRecord>> record_prompts(Session& session,
                                                    const VerifyRequest& request) {
  check_kept(request, session.vocab());
  std::vector<std::vector<StepRecord>> records;
  for (const VerifyPrompt& prompt : request.prompts)
    records.push_back(record_steps(session, prompt.tokens, request.steps, request.on_progress));
  return records;
}

}  // namespace

std::optional<RunDifference> first_difference(std::span<const StepRecord> run,
                                              std::span<const StepRecord> reference) {
  using In = RunDifference::In;
  RunDifference difference;
  for (size_t i = 0; i < std::min(run.size(), reference.size()); ++i) {
    const StepRecord& a = run[i];
    const StepRecord& b = reference[i];
    CN_CHECK(a.logits.size() == b.logits.size(), "verify: expected ", b.logits.size(),
             " logits in every step, got ", a.logits.size());
    difference.step = static_cast<int64_t>(i);
    difference.chosen = {a.token, b.token};
    for (size_t id = 0; id < a.logits.size(); ++id) {
      if (std::bit_cast<uint32_t>(a.logits[id]) == std::bit_cast<uint32_t>(b.logits[id])) continue;
      if (difference.differing++ > 0) continue;
      difference.id = static_cast<int32_t>(id);
      difference.values = {a.logits[id], b.logits[id]};
    }
    if (difference.differing > 0) return difference;
    difference.in = In::choice;
    if (a.token != b.token) return difference;
    difference.in = In::logits;
  }
  if (run.size() == reference.size()) return std::nullopt;
  difference.in = In::length;
  difference.step = static_cast<int64_t>(std::min(run.size(), reference.size()));
  difference.chosen = {static_cast<int32_t>(run.size()), static_cast<int32_t>(reference.size())};
  return difference;
}

std::optional<ActivationRecord> first_difference(std::span<const ActivationRecord> run,
                                                 std::span<const ActivationRecord> reference) {
  for (size_t i = 0; i < std::min(run.size(), reference.size()); ++i) {
    if (run[i].name != reference[i].name || run[i].rows != reference[i].rows ||
        run[i].sha256 != reference[i].sha256)
      return run[i];
  }
  if (run.size() > reference.size()) return run[reference.size()];
  if (run.size() < reference.size()) return reference[run.size()];
  return std::nullopt;
}

std::vector<VerifyPrompt> builtin_prompts(const text::Tokenizer& tokenizer, int64_t longest) {
  CN_CHECK(longest >= 1, "verify: expected a context that has room for a token, got ", longest);
  const std::vector<int32_t> text =
      tokenizer.encode(kText, text::ParseSpecial::no, text::AddSpecial::yes);
  std::vector<VerifyPrompt> prompts;
  for (const int64_t length : kLengths) {
    std::vector<int32_t> tokens;
    for (int64_t i = 0; i < std::min(length, longest); ++i)
      tokens.push_back(text[static_cast<size_t>(i) % text.size()]);
    prompts.push_back({concat("built-in ", prompts.size() + 1), std::move(tokens)});
    if (length >= longest) break;
  }
  return prompts;
}

std::vector<PromptVerdict> verify(const VerifyRequest& request) {
  const std::vector<std::vector<StepRecord>> runs = record_prompts(*request.open(), request);
  std::vector<PromptVerdict> verdicts(runs.size());
  std::vector<Suspect> suspects;
  {
    const std::unique_ptr<Session> reference = request.open_reference();
    for (size_t i = 0; i < runs.size(); ++i) {
      const VerifyPrompt& prompt = request.prompts[i];
      const std::vector<StepRecord> steps =
          record_steps(*reference, prompt.tokens, request.steps, request.on_progress);
      PromptVerdict& verdict = verdicts[i];
      verdict.prompt = prompt.name;
      verdict.prompt_tokens = static_cast<int64_t>(prompt.tokens.size());
      verdict.steps = static_cast<int64_t>(steps.size());
      verdict.difference = first_difference(runs[i], steps);
      if (verdict.difference) suspects.push_back({&prompt, &verdict});
    }
  }
  explain(request, suspects);
  return verdicts;
}

}  // namespace colonnade
