#include "colonnade/engine/generator.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "colonnade/base/cpu_float_env.h"
#include "colonnade/base/error.h"
#include "colonnade/engine/sequence_cache.h"
#include "colonnade/engine/step_leader.h"
#include "colonnade/text/tokenizer.h"

namespace colonnade {
namespace {

/// Rows whose logits evaluate() asks for at a time, V values each.
constexpr int64_t kEvaluateChunk = 64;

/// Answers up to this long are generated without asking for memory.
constexpr int64_t kReservedTokens = 4096;
constexpr size_t kTextBytesPerToken = 8;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

std::vector<int32_t> end_tokens(const text::Tokenizer& tokenizer) {
  std::vector<int32_t> ids;
  for (int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    if (tokenizer.is_end_of_generation(static_cast<int32_t>(id)))
      ids.push_back(static_cast<int32_t>(id));
  }
  return ids;
}

/// Text begins anew behind a control token, and otherwise goes on.
text::StreamDecoder answer_decoder(const text::Tokenizer& tokenizer,
                                   const std::vector<int32_t>& prompt) {
  const bool begins = prompt.empty() || tokenizer.is_control(prompt.back());
  return tokenizer.stream_decoder(text::ControlText::skip,
                                  begins ? text::TextStart::of_text : text::TextStart::behind_text);
}

/// An answer as it grows: its tokens become text until something ends it.
class Answer {
 public:
  /// `room`: positions behind the prompt.
  Answer(StopOptions stop, text::StreamDecoder decoder, int64_t room)
      : stop_(std::move(stop)), decoder_(std::move(decoder)), room_(room) {
    if (stop_.at_limit() || room == 0) result.finish_reason = FinishReason::length;
  }

  /// Nothing is to be generated.
  bool is_full() const { return result.finish_reason != FinishReason::none; }

  /// Returns the text that is certain now; sets the reason if the answer ends.
  std::string add(int32_t token) {
    result.tokens.push_back(token);
    const bool ends = stop_.is_stop_token(token);
    StopCondition::Step step = stop_.push(token, ends ? std::string() : decoder_.push(token));
    if (step.reason == FinishReason::none && static_cast<int64_t>(result.tokens.size()) >= room_) {
      step.reason = FinishReason::length;  // the context is full
      step.text += stop_.flush();
    }
    result.text += step.text;
    result.finish_reason = step.reason;
    return std::move(step.text);
  }

  GenerationResult result;

 private:
  StopCondition stop_;
  text::StreamDecoder decoder_;
  int64_t room_;
};

}  // namespace

Generator::Generator(StepLeader& leader, const text::Tokenizer& tokenizer, int64_t chunk)
    : leader_(leader),
      tokenizer_(tokenizer),
      end_tokens_(end_tokens(tokenizer)),
      chunk_(chunk),
      sequence_(std::make_unique<SequenceCache>(leader.runner().pages())) {
  CN_CHECK(chunk >= 1, "engine: chunk: expected at least 1 token, got ", chunk);
  step_.sequences.resize(1);
  question_.rows.resize(1);
}

Generator::~Generator() = default;

void Generator::reset() { sequence_->truncate(0); }

const StepResult& Generator::advance(std::span<const int32_t> tokens) {
  const int64_t first = sequence_->size();
  sequence_->append(tokens);
  step_.tokens.assign(tokens.begin(), tokens.end());
  StepSequence& sequence = step_.sequences.front();
  sequence.tokens = static_cast<int64_t>(tokens.size());
  sequence.first_position = first;
  sequence.pages.assign(sequence_->pages().begin(), sequence_->pages().end());
  try {
    return leader_.run(step_);
  } catch (...) {
    sequence_->truncate(first);  // its keys and values may be half written
    throw;
  }
}

const StepResult& Generator::prefill(std::span<const int32_t> tokens, const OnPrompt& on_prompt) {
  const StepResult* result = nullptr;
  std::vector<StepRow> wanted;
  wanted.swap(step_.rows);
  for (size_t done = 0; done < tokens.size();) {
    const size_t count = std::min(tokens.size() - done, static_cast<size_t>(chunk_));
    if (done + count == tokens.size()) {
      wanted.swap(step_.rows);
      for (StepRow& row : step_.rows) row.row -= static_cast<int32_t>(done);
    }
    result = &advance(tokens.subspan(done, count));
    done += count;
    if (on_prompt) on_prompt(static_cast<int64_t>(done), static_cast<int64_t>(tokens.size()));
  }
  return *result;
}

void Generator::want_choice(const Sampler& sampler, int64_t tokens, bool logits) {
  step_.rows.resize(1);
  StepRow& row = step_.rows.front();
  row.row = static_cast<int32_t>(tokens - 1);
  row.request = sampler.request(sequence_->size() + tokens);
  row.changes = sampler.changes();
  step_.gathers_logits = logits;
}

void Generator::want_logits(int64_t tokens, int64_t rows) {
  step_.rows.resize(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    step_.rows[static_cast<size_t>(i)] = {static_cast<int32_t>(tokens - rows + i), {}, {}};
  }
  step_.gathers_logits = rows > 0;
}

void Generator::want_last(int64_t tokens) {
  want_logits(tokens, 1);
  step_.gathers_logits = false;
}

std::span<const ShardSummary> Generator::ask(const ShardRequest& request,
                                             const LogitChanges& changes) {
  question_.rows.front() = {0, request, changes};
  return leader_.run(question_).shards(0);
}

LogProbabilities Generator::log_probabilities_of(int32_t token, int32_t count) {
  const auto gather = [this](const ShardRequest& request) { return ask(request, {}); };
  return log_probabilities(count, token, std::ref(gather));
}

int64_t Generator::check_prompt(const GenerationRequest& request) const {
  const auto size = static_cast<int64_t>(request.prompt.size());
  CN_CHECK(size >= 1, "generate: expected a prompt of at least one token, got none");
  CN_CHECK(size <= leader_.runner().context(), "generate: the prompt has ", size,
           " tokens, the context ", leader_.runner().context(),
           ": shorten the prompt or choose a longer context");
  for (const int32_t id : request.prompt) {
    CN_CHECK(id >= 0 && id < leader_.runner().vocab(), "generate: expected token ids from 0 to ",
             leader_.runner().vocab() - 1, ", got ", id);
  }
  return size;
}

void Generator::reserve(int64_t prompt_size, int64_t tokens, GenerationResult& result) {
  const int64_t positions = std::min(prompt_size + tokens, leader_.runner().context());
  sequence_->reserve(positions);
  leader_.runner().reserve_positions(positions);
  step_.sequences.front().pages.reserve(static_cast<size_t>(positions / kPagePositions + 1));
  result.tokens.reserve(static_cast<size_t>(tokens));
  result.text.reserve(static_cast<size_t>(tokens) * kTextBytesPerToken);
}

GenerationResult Generator::generate(const GenerationRequest& request, const OnToken& on_token) {
  const FloatEnvironment environment;
  const int64_t prompt_size = check_prompt(request);
  Sampler sampler(request.sampling, leader_.runner().choices(), request.prompt, request.choice);
  const int64_t room = leader_.runner().context() - prompt_size;
  Answer answer(stop_options(request), answer_decoder(tokenizer_, request.prompt), room);
  GenerationResult& result = answer.result;
  result.seed = sampler.seed();
  if (answer.is_full()) return result;
  const Stopwatch prompt_time;
  // The last token is computed even if it is cached: its logits are wanted.
  const int64_t cached = std::min(sequence_->common_prefix(request.prompt), prompt_size - 1);
  sequence_->truncate(cached);
  result.timings.cached_tokens = cached;
  result.timings.prompt_tokens = prompt_size - cached;
  const int64_t most = std::min(room, request.stop.max_tokens.value_or(room));
  reserve(prompt_size, std::min<int64_t>(most, kReservedTokens), result);
  const auto more = [&](const ShardRequest& wanted) { return ask(wanted, sampler.changes()); };
  want_choice(sampler, prompt_size - cached, request.wants_logits);
  const StepResult* step =
      &prefill(std::span(request.prompt).subspan(static_cast<size_t>(cached)), request.on_prompt);
  Stopwatch generation_time;
  for (;;) {
    const std::span<const float> logits =
        request.wants_logits ? step->logits(0) : std::span<const float>();
    const int32_t token = sampler.choose(sequence_->size(), step->shards(0), std::ref(more));
    if (result.tokens.empty()) {
      result.timings.prompt_s = prompt_time.seconds();
      generation_time = Stopwatch();
    }
    sampler.accept(token);
    const std::string text = answer.add(token);
    LogProbabilities logprobs;
    if (request.wants_logprobs) logprobs = log_probabilities_of(token, request.logprobs);
    const TokenEvent event{token, text, logits, request.wants_logprobs ? &logprobs : nullptr};
    const bool go_on = !on_token || on_token(event);
    if (result.finish_reason != FinishReason::none || !go_on) break;
    want_choice(sampler, 1, request.wants_logits);
    step = &advance(std::span(&token, 1));
  }
  result.timings.generation_s = generation_time.seconds();
  result.timings.generated_tokens = static_cast<int64_t>(result.tokens.size());
  return std::move(answer.result);
}

StopOptions Generator::stop_options(const GenerationRequest& request) const {
  StopOptions options = request.stop;
  if (!request.ignore_stop_tokens)
    options.token_ids.insert(options.token_ids.end(), end_tokens_.begin(), end_tokens_.end());
  return options;
}

void Generator::evaluate(std::span<const int32_t> tokens, int64_t first, const OnRow& on_row) {
  const FloatEnvironment environment;
  reset();
  const auto count = static_cast<int64_t>(tokens.size());
  CN_CHECK(first >= 0 && count >= 1 && count <= leader_.runner().context(),
           "evaluate: expected 1 to ", leader_.runner().context(), " tokens (the context), got ",
           count);
  want_logits(0, 0);
  if (first > 0) prefill(tokens.first(static_cast<size_t>(std::min(first, count))));
  for (int64_t at = first; at < count;) {
    const int64_t part = std::min(count - at, std::min(chunk_, kEvaluateChunk));
    want_logits(part, part);
    const StepResult& result =
        advance(tokens.subspan(static_cast<size_t>(at), static_cast<size_t>(part)));
    for (int64_t i = 0; i < part; ++i) on_row(at + i, result.logits(i));
    at += part;
  }
}

double Generator::time_prompt(int64_t tokens) {
  const FloatEnvironment environment;
  reset();
  const std::vector<int32_t> ids = plain_tokens(tokens);
  sequence_->reserve(tokens);
  want_last(tokens);
  const Stopwatch time;
  prefill(ids);
  return time.seconds();
}

double Generator::time_decode(int64_t tokens) {
  const FloatEnvironment environment;
  reset();
  const std::vector<int32_t> ids = plain_tokens(tokens);
  sequence_->reserve(tokens);
  const Stopwatch time;
  for (const int32_t id : ids) {
    want_last(1);
    advance(std::span(&id, 1));
  }
  return time.seconds();
}

std::vector<int32_t> Generator::plain_tokens(int64_t count) const {
  CN_CHECK(count >= 1 && count <= leader_.runner().context(), "bench: expected 1 to ",
           leader_.runner().context(), " tokens (the context), got ", count);
  std::vector<int32_t> ids(static_cast<size_t>(count));
  uint64_t state = 1;
  for (int32_t& id : ids) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
    id = static_cast<int32_t>((state >> 33) % static_cast<uint64_t>(leader_.runner().vocab()));
  }
  return ids;
}

}  // namespace colonnade
