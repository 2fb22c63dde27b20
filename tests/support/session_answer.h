// What a session answers, in all the detail that the law of bits speaks of. Include it only where
// the folder links api.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/bits.h"

#include "colonnade/api/session.h"

namespace colonnade::test {

struct Answer {
  std::vector<float> logits;  // of every step, [V] each, if the request wanted them
  std::vector<int32_t> tokens;
  std::vector<double> log_probabilities;  // of the tokens, then of the most likely ones, per step
  int64_t told_bytes = 0;                 // by rank 0, for the answer
};

inline Answer answer_of(Session& session, const GenerationRequest& request) {
  Answer answer;
  const int64_t before = session.group_stats().bytes;
  answer.tokens = session.generator()
                      .generate(request,
                                [&](const TokenEvent& event) {
                                  answer.logits.insert(answer.logits.end(), event.logits.begin(),
                                                       event.logits.end());
                                  if (event.logprobs == nullptr) return true;
                                  answer.log_probabilities.push_back(event.logprobs->chosen);
                                  for (const TokenLogProbability& one : event.logprobs->top)
                                    answer.log_probabilities.push_back(one.log_probability);
                                  return true;
                                })
                      .tokens;
  answer.told_bytes = session.group_stats().bytes - before;
  return answer;
}

inline Answer answer_of(const SessionOptions& options, const GenerationRequest& request) {
  Session session(options);
  return answer_of(session, request);
}

/// The logits behind every one of `tokens`, computed as one prompt: [T, V].
inline std::vector<float> prompt_logits(Session& session, std::span<const int32_t> tokens) {
  std::vector<float> all;
  session.generator().evaluate(tokens, 0, [&](int64_t, std::span<const float> logits) {
    all.insert(all.end(), logits.begin(), logits.end());
  });
  return all;
}

}  // namespace colonnade::test
