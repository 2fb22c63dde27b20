// Generator: one sequence at a time, from prompt tokens to an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "colonnade/engine/sampler.h"
#include "colonnade/engine/step.h"
#include "colonnade/engine/stop.h"
#include "colonnade/engine/timings.h"
#include "colonnade/tensor/tensor.h"

namespace colonnade {

class SequenceCache;
class StepLeader;
namespace text {
class Tokenizer;
}

/// Called behind every chunk of a prompt. What it throws ends the request; the tokens that are done
/// stay in the cache.
using OnPrompt = std::function<void(int64_t done, int64_t all)>;

struct GenerationRequest {
  std::vector<int32_t> prompt;  // at least one token
  SamplingOptions sampling;
  StopOptions stop;  // with max_tokens unset: until the context is full
  bool ignore_stop_tokens = false;
  int32_t choice = 0;    // which answer of the same request: enters the draws
  int32_t logprobs = 0;  // so many of the most likely tokens per step are reported
  bool wants_logprobs = false;
  bool wants_logits = false;  // TokenEvent::logits
  OnPrompt on_prompt;         // may be empty
};

/// One generated token. The views are valid during the call.
struct TokenEvent {
  int32_t id = 0;
  std::string_view text;          // valid UTF-8, perhaps empty
  std::span<const float> logits;  // [V] before penalties, if the request wants them
  const LogProbabilities* logprobs = nullptr;
};

/// Called for every token; returning false ends the answer (FinishReason::none).
using OnToken = std::function<bool(const TokenEvent&)>;

struct GenerationResult {
  std::vector<int32_t> tokens;  // a stop token included
  std::string text;             // without stop tokens and stop strings
  FinishReason finish_reason = FinishReason::none;
  uint64_t seed = 0;
  Timings timings;
};

/// Keeps the keys and values of the last sequence: a prompt that begins like it is computed from
/// where they part, with the same bits. One thread at a time.
class Generator {
 public:
  /// `chunk` tokens of a prompt at a time. The leader and the tokenizer must outlive it.
  Generator(StepLeader& leader, const text::Tokenizer& tokenizer, int64_t chunk);
  ~Generator();

  /// Throws Error if the prompt is empty, does not fit the context (both numbers), or an option is
  /// out of range.
  GenerationResult generate(const GenerationRequest& request, const OnToken& on_token);

  /// Computes `tokens` as a new sequence and calls `on_row(i, logits)` [V] for every i from `first`
  /// on: the logits behind tokens[i]. The same bits as generating them one by one.
  using OnRow = std::function<void(int64_t index, std::span<const float> logits)>;
  void evaluate(std::span<const int32_t> tokens, int64_t first, const OnRow& on_row);

  /// Seconds for `tokens` pseudo-random tokens as one prompt, or one after the other, without
  /// sampling: what llama-bench measures as pp and tg. Throws Error if they do not fit the context.
  double time_prompt(int64_t tokens);
  double time_decode(int64_t tokens);

  /// Forgets the sequence.
  void reset();

 private:
  /// Executes one step with the sequence's next tokens. step_.rows says what is wanted of it.
  const StepResult& advance(std::span<const int32_t> tokens);
  /// Executes all tokens in chunks, the last with step_.rows as the caller left them.
  const StepResult& prefill(std::span<const int32_t> tokens, const OnPrompt& on_prompt = {});
  /// step_.rows: the last of `tokens` tokens, for the sampler.
  void want_choice(const Sampler& sampler, int64_t tokens, bool logits);
  /// step_.rows: nothing of the last `rows` of `tokens` tokens but their logits.
  void want_logits(int64_t tokens, int64_t rows);
  /// step_.rows: the last of `tokens` tokens, of which nothing is told.
  void want_last(int64_t tokens);
  /// More about the only row of the step before.
  std::span<const ShardSummary> ask(const ShardRequest& request, const LogitChanges& changes);
  LogProbabilities log_probabilities_of(int32_t token, int32_t count);
  /// Memory for `tokens` behind the prompt, so that no decode step asks for any.
  void reserve(int64_t prompt_size, int64_t tokens, GenerationResult& result);
  /// Its size. Throws Error for one that cannot be computed.
  int64_t check_prompt(const GenerationRequest& request) const;
  /// The request's, with the model's own ends.
  StopOptions stop_options(const GenerationRequest& request) const;
  std::vector<int32_t> plain_tokens(int64_t count) const;

  StepLeader& leader_;
  const text::Tokenizer& tokenizer_;
  std::vector<int32_t> end_tokens_;
  int64_t chunk_;
  std::unique_ptr<SequenceCache> sequence_;
  Step step_;  // keeps its memory from step to step
  Step question_;
};

}  // namespace colonnade
