#include "colonnade/engine/generator.h"

#include <algorithm>
#include <cfenv>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/heap_meter.h"
#include "tests/support/loaded_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/engine/step_leader.h"
#include "colonnade/text/tokenizer.h"

namespace colonnade {
namespace {

using testing::HasSubstr;

constexpr int64_t kContext = 128;
constexpr int32_t kEnd = 256;  // <|endoftext|> of the tiny model

text::Vocabulary vocabulary(const GgufMetadata& metadata) {
  text::Vocabulary made;
  made.model = metadata.text("tokenizer.ggml.model");
  made.pre = metadata.text("tokenizer.ggml.pre");
  const StringArray& tokens = metadata.strings("tokenizer.ggml.tokens");
  for (int64_t i = 0; i < tokens.size(); ++i) made.tokens.emplace_back(tokens[i]);
  made.token_types.assign(made.tokens.size(), 1);
  made.token_types[kEnd] = 3;
  made.eos = kEnd;
  return made;
}

class GeneratorTest : public testing::Test {
 protected:
  test::LoadedModel model_;
  PagePool pages_{*model_.device, model_.layout()};
  StepRunner runner_{model_.cx(), model_.decoder, pages_, {kContext, model_.config.vocab}};
  StepLeader leader_{runner_};
  text::Tokenizer tokenizer_{vocabulary(model_.file.metadata())};
  Generator generator_{leader_, tokenizer_, 16};

  static GenerationRequest greedy(int64_t max_tokens) {
    GenerationRequest request;
    request.prompt = {72, 101, 108, 108, 111};
    request.sampling.temperature = 0;
    request.stop.max_tokens = max_tokens;
    return request;
  }
  std::string failure(const GenerationRequest& request) {
    try {
      generator_.generate(request, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(GeneratorTest, EndsAtTheLargestNumberOfTokens) {
  const GenerationResult result = generator_.generate(greedy(7), {});
  EXPECT_EQ(result.tokens.size(), 7u);
  EXPECT_EQ(result.finish_reason, FinishReason::length);
  EXPECT_EQ(result.timings.prompt_tokens, 5);
  EXPECT_EQ(result.timings.generated_tokens, 7);
}

TEST_F(GeneratorTest, NoTokensWantedIsAnAnswerOfNone) {
  const GenerationResult result = generator_.generate(greedy(0), {});
  EXPECT_TRUE(result.tokens.empty());
  EXPECT_EQ(result.finish_reason, FinishReason::length);
}

TEST_F(GeneratorTest, ARequestRepeatsExactlyWithItsSeedAndItsChoicesDiffer) {
  GenerationRequest request = greedy(20);
  request.sampling.temperature = 1;
  request.sampling.seed = 42;
  const std::vector<int32_t> first = generator_.generate(request, {}).tokens;
  generator_.generate(greedy(3), {});  // another request in between changes nothing
  EXPECT_EQ(generator_.generate(request, {}).tokens, first);
  request.choice = 1;
  EXPECT_NE(generator_.generate(request, {}).tokens, first);
}

TEST_F(GeneratorTest, AStopTokenEndsTheAnswerAndHasNoText) {
  GenerationRequest request = greedy(10);
  const GenerationResult all = generator_.generate(request, {});
  const auto at = std::find_if(all.tokens.begin() + 1, all.tokens.end(),
                               [&](int32_t id) { return id != all.tokens[0]; });
  ASSERT_NE(at, all.tokens.end());
  request.stop.token_ids = {*at};
  const GenerationResult stopped = generator_.generate(request, {});
  EXPECT_EQ(stopped.finish_reason, FinishReason::stop);
  EXPECT_EQ(stopped.tokens, std::vector<int32_t>(all.tokens.begin(), at + 1));
  EXPECT_EQ(all.text.rfind(stopped.text, 0), 0u);
  EXPECT_LT(stopped.text.size(), all.text.size());
}

TEST_F(GeneratorTest, TheModelsEndTokenEndsTheAnswerUnlessItIsIgnored) {
  GenerationRequest request = greedy(5);
  request.sampling.logit_bias = {{kEnd, 1e6f}};
  EXPECT_EQ(generator_.generate(request, {}).tokens, std::vector<int32_t>{kEnd});
  request.ignore_stop_tokens = true;
  const GenerationResult ignored = generator_.generate(request, {});
  EXPECT_EQ(ignored.tokens, std::vector<int32_t>(5, kEnd));
  EXPECT_EQ(ignored.finish_reason, FinishReason::length);
}

TEST_F(GeneratorTest, EventsJoinedAreTheText) {
  std::string text;
  std::vector<int32_t> ids;
  const GenerationResult result = generator_.generate(greedy(30), [&](const TokenEvent& event) {
    text += event.text;
    ids.push_back(event.id);
    return true;
  });
  EXPECT_EQ(text, result.text);
  EXPECT_EQ(ids, result.tokens);
}

TEST_F(GeneratorTest, TheCallerMayEndTheAnswer) {
  int calls = 0;
  const GenerationResult result =
      generator_.generate(greedy(30), [&](const TokenEvent&) { return ++calls < 3; });
  EXPECT_EQ(result.tokens.size(), 3u);
  EXPECT_EQ(result.finish_reason, FinishReason::none);
}

TEST_F(GeneratorTest, TheCallersFloatingPointModesChangeNoBitAndComeBack) {
  GenerationRequest request = greedy(30);
  request.sampling.temperature = 1.5F;
  request.sampling.seed = 3;
  const auto logits_of = [&] {
    generator_.reset();
    std::vector<double> values;
    request.wants_logprobs = true;
    request.logprobs = 5;
    generator_.generate(request, [&](const TokenEvent& event) {
      for (const TokenLogProbability& top : event.logprobs->top)
        values.push_back(top.log_probability);
      return true;
    });
    return values;
  };
  const std::vector<double> usual = logits_of();
  std::fesetround(FE_UPWARD);
  const std::vector<double> upward = logits_of();
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(usual, upward);
}

TEST_F(GeneratorTest, ThePromptsProgressIsReportedChunkByChunk) {
  GenerationRequest request = greedy(1);
  request.prompt.assign(40, 72);
  std::vector<std::pair<int64_t, int64_t>> calls;
  request.on_prompt = [&](int64_t done, int64_t all) { calls.emplace_back(done, all); };
  generator_.generate(request, {});
  EXPECT_THAT(calls, testing::ElementsAre(std::pair(16, 40), std::pair(32, 40), std::pair(40, 40)));
}

TEST_F(GeneratorTest, APromptThatTheCallerEndsIsGoneOnWithToTheSameAnswer) {
  GenerationRequest request = greedy(9);
  request.prompt.resize(40);
  std::iota(request.prompt.begin(), request.prompt.end(), 60);
  const std::vector<int32_t> wanted = generator_.generate(request, {}).tokens;
  generator_.reset();
  request.on_prompt = [](int64_t, int64_t) { throw Error("enough"); };
  EXPECT_EQ(failure(request), "enough");
  request.on_prompt = {};
  const GenerationResult again = generator_.generate(request, {});
  EXPECT_EQ(again.timings.cached_tokens, 16);
  EXPECT_EQ(again.tokens, wanted);
}

TEST_F(GeneratorTest, AnAnswerEndsWhereTheContextIsFull) {
  GenerationRequest request = greedy(1000);
  request.ignore_stop_tokens = true;
  const GenerationResult result = generator_.generate(request, {});
  EXPECT_EQ(result.finish_reason, FinishReason::length);
  EXPECT_EQ(static_cast<int64_t>(result.tokens.size()), kContext - 5);
  request.prompt.assign(kContext - 1, 72);
  EXPECT_EQ(generator_.generate(request, {}).tokens.size(), 1u);
  request.prompt.assign(kContext, 72);
  EXPECT_EQ(generator_.generate(request, {}).tokens.size(), 0u);
}

TEST_F(GeneratorTest, PromptsThatCannotBeComputedAreErrors) {
  GenerationRequest request = greedy(1);
  request.prompt.clear();
  EXPECT_THAT(failure(request), HasSubstr("at least one token"));
  request.prompt.assign(kContext + 1, 65);
  EXPECT_THAT(failure(request), HasSubstr("the prompt has 129 tokens, the context 128"));
  request.prompt = {65, 600};
  EXPECT_THAT(failure(request), HasSubstr("from 0 to 599, got 600"));
  EXPECT_THROW(Generator(leader_, tokenizer_, 0), Error);
}

TEST_F(GeneratorTest, TimingsNeedTokensThatFitTheContext) {
  EXPECT_GT(generator_.time_prompt(kContext), 0.0);
  EXPECT_GT(generator_.time_decode(3), 0.0);
  EXPECT_THROW(generator_.time_prompt(kContext + 1), Error);
  EXPECT_THROW(generator_.time_decode(0), Error);
}

TEST_F(GeneratorTest, RowsOfTheHeadWithoutATokenAreNeverChosen) {
  text::Vocabulary shorter = vocabulary(model_.file.metadata());
  shorter.tokens.resize(270);
  shorter.token_types.resize(270);
  const text::Tokenizer tokenizer(shorter);
  StepRunner runner(model_.cx(), model_.decoder, pages_, {kContext, tokenizer.vocab_size()});
  StepLeader leader(runner);
  Generator generator(leader, tokenizer, 16);
  GenerationRequest request = greedy(100);
  request.sampling.temperature = 1e6F;  // every token is about as likely
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  const GenerationResult result = generator.generate(request, [](const TokenEvent& event) {
    EXPECT_EQ(event.logits.size(), 600u);  // all rows, as files of logits want them
    return true;
  });
  EXPECT_EQ(result.tokens.size(), 100u);
  for (const int32_t token : result.tokens) EXPECT_LT(token, 270);
}

TEST_F(GeneratorTest, EvaluatedRowsAreTheLogitsOfGeneration) {
  std::vector<std::vector<float>> generated;
  GenerationRequest request = greedy(5);
  request.ignore_stop_tokens = true;
  request.wants_logits = true;
  const GenerationResult result = generator_.generate(request, [&](const TokenEvent& event) {
    generated.emplace_back(event.logits.begin(), event.logits.end());
    return true;
  });
  std::vector<int32_t> all = request.prompt;
  all.insert(all.end(), result.tokens.begin(), result.tokens.end() - 1);
  size_t next = 0;
  generator_.evaluate(all, 4, [&](int64_t index, std::span<const float> logits) {
    EXPECT_EQ(index, static_cast<int64_t>(next) + 4);
    EXPECT_EQ(std::vector<float>(logits.begin(), logits.end()), generated[next]);
    ++next;
  });
  EXPECT_EQ(next, generated.size());
}

TEST_F(GeneratorTest, DecodingAsksForNoMemoryAfterTheFirstTokens) {
  GenerationRequest request = greedy(100);  // over a page border
  request.ignore_stop_tokens = true;
  int64_t warm = 0;
  int64_t at_end = 0;
  int calls = 0;
  const test::HeapMeter meter;
  generator_.generate(request, [&](const TokenEvent&) {
    at_end = meter.allocations();
    if (++calls == 3) warm = at_end;
    return true;
  });
  EXPECT_GT(warm, 0);
  EXPECT_EQ(at_end, warm);
}

}  // namespace
}  // namespace colonnade
