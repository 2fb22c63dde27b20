// Verify: the law of bits, asked of a model on this machine: what many ranks compute is compared
// with what one computes, bit by bit.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "colonnade/api/session.h"

namespace colonnade {

/// One chosen token and what it was chosen from.
struct StepRecord {
  int32_t token = 0;
  std::vector<float> logits;  // [V]
};

/// A named activation of one step.
struct ActivationRecord {
  std::string name;            // "blk.3.attention"
  int64_t first_position = 0;  // of its rows
  int64_t rows = 0;
  std::string sha256;  // of its values
};

/// Where two runs of one prompt part. [0]: the run in question; [1]: the reference.
struct RunDifference {
  enum class In : uint8_t {
    logits,  // bits of a logit
    choice,  // equal logits, another token
    length   // one of them has no such step
  } in = In::logits;
  int64_t step = 0;  // 0: behind the prompt
  // In::logits:
  int32_t id = 0;                   // the first token whose logit differs
  std::array<float, 2> values{};    // of that logit
  int64_t differing = 0;            // logits of this step
  std::array<int32_t, 2> chosen{};  // tokens of this step; In::length: numbers of steps
};
std::optional<RunDifference> first_difference(std::span<const StepRecord> run,
                                              std::span<const StepRecord> reference);

/// The first activation, in the order of computation, that is not the same in both.
std::optional<ActivationRecord> first_difference(std::span<const ActivationRecord> run,
                                                 std::span<const ActivationRecord> reference);

struct VerifyPrompt {
  std::string name;
  std::vector<int32_t> tokens;
};

/// Prompts of one token, of one token more than a cache page, and of several pages and chunks, made
/// of a text of ours; none longer than `longest`.
std::vector<VerifyPrompt> builtin_prompts(const text::Tokenizer& tokenizer, int64_t longest);

struct VerifyRequest {
  /// Open the run in question and its reference: one after the other, never both, in this order,
  /// and once more each where the two differ.
  std::function<std::unique_ptr<Session>()> open, open_reference;
  std::vector<VerifyPrompt> prompts;
  int64_t steps = 16;  // of greedy decoding behind each prompt
  /// Behind every chunk and token; what it throws ends the comparison. May be empty.
  std::function<void()> on_progress;
};

struct PromptVerdict {
  std::string prompt;
  int64_t prompt_tokens = 0;
  int64_t steps = 0;  // compared
  std::optional<RunDifference> difference;
  /// Where there is a difference: the first activation that differed when both ran again; none if
  /// all were equal then.
  std::optional<ActivationRecord> activation;
  bool repeated = false;  // the difference was there again
};

/// One verdict for each prompt. Throws Error if the logits would take too much memory.
std::vector<PromptVerdict> verify(const VerifyRequest& request);

}  // namespace colonnade
