// The law of bits over ranks, for assignments that chance makes: models, ranks, shares, threads,
// instruction sets, chunks, and ways to choose tokens.
#include <string>
#include <vector>

#include "tests/support/environment.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/random.h"
#include "tests/support/session_answer.h"
#include "tests/support/tiny_kinds.h"
#include "tests/support/tiny_model.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/device/isa.h"

namespace colonnade::test {
namespace {

constexpr uint64_t kSeed = 20261130;
constexpr int kCases = 40;
constexpr int kNightlyCases = 3000;

template <typename T>
const T& any_of(Random& random, const std::vector<T>& all) {
  return all[static_cast<size_t>(random.integer(0, static_cast<int64_t>(all.size()) - 1))];
}

/// So uneven that each rank still gets one of 7 units, which the smallest of these models has.
std::vector<double> random_shares(Random& random, int ranks) {
  constexpr int64_t kMost[] = {9, 5, 3};  // over 2, the least, for 2, 3 and 4 ranks
  std::vector<double> shares;
  if (ranks > 4 || random.integer(0, 3) == 0) return shares;
  for (int r = 0; r < ranks; ++r)
    shares.push_back(static_cast<double>(random.integer(2, kMost[ranks - 2])));
  return shares;
}

void assign_ranks(Random& random, SessionOptions& options) {
  options.ranks = static_cast<int>(random.integer(2, 7));
  options.shares = random_shares(random, options.ranks);
  options.ranks_as = random.integer(0, 3) == 0 ? RanksAs::processes : RanksAs::threads;
  options.chunk = any_of<int64_t>(random, {1, 3, 16, 31, 64, 512});
  const std::vector<std::string> names = {"", "scalar", "avx2", "avx512vnni"};
  for (int r = 0; r < options.ranks; ++r) {
    std::string isa = any_of(random, names);
    try {
      choose_table(isa);
    } catch (const Error&) {
      isa = "scalar";  // this machine does not have it
    }
    options.each.push_back({.threads = static_cast<int>(random.integer(1, 3)), .isa = isa});
  }
}

GenerationRequest random_request(Random& random) {
  GenerationRequest request;
  const int64_t length = random.integer(1, 90);
  for (int64_t i = 0; i < length; ++i)
    request.prompt.push_back(static_cast<int32_t>(random.integer(0, 599)));
  SamplingOptions& s = request.sampling;
  s.seed = random.bits();
  s.temperature = any_of<float>(random, {0, 0.7F, 1, 2});
  s.top_k = any_of<int32_t>(random, {0, 0, 3, 50});
  s.top_p = any_of<float>(random, {1, 1, 0.5F, 0.99F});
  s.min_p = any_of<float>(random, {0, 0, 0.1F});
  s.repetition_penalty = any_of<float>(random, {1, 1, 1.4F});
  request.stop.max_tokens = random.integer(1, 6);
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  request.wants_logprobs = random.integer(0, 1) == 1;
  request.logprobs = request.wants_logprobs ? static_cast<int32_t>(random.integer(0, 4)) : 0;
  return request;
}

std::string text_of(const SessionOptions& o) {
  std::string text = concat(o.ranks, o.ranks_as == RanksAs::threads ? " threads" : " processes",
                            ", chunk ", o.chunk, ", ", name_of(*o.precision), ", shares");
  for (const double share : o.shares) text += concat(" ", share);
  text += ", ranks";
  for (const RankSettings& rank : o.each) text += concat(" ", rank.threads, "x", rank.isa);
  return text;
}

/// Case `number` alone: a failure repeats with --gtest_filter and the number it prints.
void check_case(uint64_t number, const std::vector<std::string>& models) {
  Random random(kSeed + number * 7919);
  SessionOptions one;
  one.model = any_of(random, models);
  one.threads = 1;
  one.precision = any_of<Tier>(random, {Tier::int8, Tier::int15, Tier::f32});
  const GenerationRequest request = random_request(random);
  SessionOptions several = one;
  assign_ranks(random, several);
  SCOPED_TRACE(concat("case ", number, ": ", one.model, ", ", text_of(several)));
  const Answer expected = answer_of(one, request);
  const Answer actual = answer_of(several, request);
  EXPECT_TRUE(same_bits(actual.logits, expected.logits));
  EXPECT_EQ(actual.tokens, expected.tokens);
  EXPECT_EQ(actual.log_probabilities, expected.log_probabilities);
}

TEST(RanksFuzz, AnyAssignmentHasTheBitsOfOneRank) {
  const TemporaryFolder folder;
  std::vector<std::string> models;
  for (const TinyKind& kind : tiny_kinds())
    models.push_back(folder.write(std::string(kind.name) + ".gguf", tiny_model(kind.shape)));
  const int cases = nightly() ? kNightlyCases : kCases;
  for (int i = 0; i < cases && !testing::Test::HasFailure(); ++i)
    check_case(static_cast<uint64_t>(i), models);
}

}  // namespace
}  // namespace colonnade::test
