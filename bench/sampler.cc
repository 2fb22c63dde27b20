// What does choosing a token cost? Logits of a vocabulary of 151,936 (Qwen 2.5), one thread. The
// line to compare with is the time that one read of the logits takes, and the few milliseconds of a
// small model's decode step.
#include "colonnade/engine/sampler.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <vector>

#include "colonnade/base/philox.h"

namespace colonnade {
namespace {

constexpr int64_t kVocabulary = 151936;
constexpr int kTokens = 200;
volatile double sink;  // keeps what is measured

/// Sums of 12 uniform numbers are nearly normal; scaled as a language model's logits are.
std::vector<float> make_logits() {
  std::vector<float> logits(kVocabulary);
  for (uint32_t id = 0; id < kVocabulary; ++id) {
    double sum = -6.0;
    for (uint32_t part = 0; part < 3; ++part) {
      for (const uint32_t word : philox4x32({id, part, 0, 0}, {1, 2})) sum += word * 0x1p-32;
    }
    logits[id] = static_cast<float>(2.5 * sum);
  }
  logits[777] = 16.0F;
  logits[90000] = 17.0F;
  return logits;
}

template <typename Step>
void report(const char* name, Step step) {
  std::vector<double> times_us;
  for (int i = 0; i < kTokens; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    step(i);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    times_us.push_back(time.count());
  }
  std::sort(times_us.begin(), times_us.end());
  std::printf("%-36s median %7.1f us   tenth %7.1f   nine tenths %7.1f\n", name,
              times_us[kTokens / 2], times_us[kTokens / 10], times_us[kTokens * 9 / 10]);
}

void report_options(const char* name, const SamplingOptions& options,
                    const std::vector<float>& logits) {
  SamplingOptions seeded = options;
  seeded.seed = 1;
  Sampler sampler(seeded, kVocabulary, {});
  report(name, [&](int i) { sink = sampler.sample(logits, i); });
}

void run() {
  const std::vector<float> logits = make_logits();
  SamplingOptions greedy;
  greedy.temperature = 0.0F;
  SamplingOptions hot;
  hot.temperature = 2.0F;
  SamplingOptions usual;
  usual.temperature = 0.8F;
  usual.top_k = 40;
  usual.top_p = 0.95F;
  usual.min_p = 0.05F;
  SamplingOptions top_p;
  top_p.top_p = 0.95F;
  SamplingOptions wide_top_p;
  wide_top_p.top_p = 0.999F;
  SamplingOptions min_p;
  min_p.min_p = 0.05F;
  report("sum of the logits",
         [&](int) { sink = std::accumulate(logits.begin(), logits.end(), 0.0F); });
  report_options("greedy", greedy, logits);
  report_options("temperature 1, nothing cut", {}, logits);
  report_options("temperature 2, nothing cut", hot, logits);
  report_options("top-k 40, top-p 0.95, min-p 0.05", usual, logits);
  report_options("min-p 0.05", min_p, logits);
  report_options("top-p 0.95", top_p, logits);
  report_options("top-p 0.999 (needs the whole tail)", wide_top_p, logits);
  report("log-probabilities of the best 5",
         [&](int) { sink = log_probabilities(logits, 5).log_normalizer; });
}

}  // namespace
}  // namespace colonnade

int main() { colonnade::run(); }
