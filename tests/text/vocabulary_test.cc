#include "colonnade/text/vocabulary.h"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade::text {
namespace {

Vocabulary good() {
  Vocabulary v;
  v.model = "gpt2";
  v.pre = "gpt-2";
  v.tokens = {"a", "b", "<|end|>"};
  v.token_types = {1, 1, 3};
  return v;
}

TEST(Vocabulary, WithoutTypesEveryTokenIsNormal) {
  Vocabulary v = good();
  EXPECT_EQ(v.type(2), TokenType::control);
  v.token_types.clear();
  EXPECT_EQ(v.type(2), TokenType::normal);
  EXPECT_NO_THROW(check_vocabulary(v));
}

TEST(Vocabulary, AMistakeIsNamedWithItsPlace) {
  const struct {
    std::function<void(Vocabulary&)> spoil;
    const char* message;
  } cases[] = {
      {[](Vocabulary& v) { v.model = "t5"; }, "tokenizer.ggml.model is 't5'"},
      {[](Vocabulary& v) { v.model = "t5"; }, "supported: gpt2"},
      {[](Vocabulary& v) { v.model = "llama"; },
       "scores: expected 3 entries, one per token, got 0"},
      {[](Vocabulary& v) {
         v.model = "llama";
         v.scores = {0, std::nanf(""), 0};
       },
       "scores[1]: expected a number, got NaN"},
      {[](Vocabulary& v) {
         v.end_tokens = {1, 3};
       },
       "end a generation: expected an id below 3"},
      {[](Vocabulary& v) { v.tokens.clear(); }, "got 0"},
      {[](Vocabulary& v) { v.tokens[1] = "x\xFF"; },
       "tokens[1]: expected UTF-8, got a bad byte at offset 1"},
      {[](Vocabulary& v) { v.token_types.pop_back(); }, "expected 3 entries, one per token, got 2"},
      {[](Vocabulary& v) { v.token_types[1] = 7; }, "token_type[1]: expected 1..6, got 7"},
      {[](Vocabulary& v) { v.token_types[1] = 0; }, "token_type[1]: expected 1..6, got 0"},
      {[](Vocabulary& v) { v.bos = 3; }, "tokenizer.ggml.bos_token_id: expected an id below 3"},
      {[](Vocabulary& v) { v.eos = -2; }, "tokenizer.ggml.eos_token_id"},
      {[](Vocabulary& v) { v.eot = 4; }, "tokenizer.ggml.eot_token_id"},
      {[](Vocabulary& v) { v.pad = 5; }, "tokenizer.ggml.padding_token_id"},
      {[](Vocabulary& v) { v.unk = 6; }, "tokenizer.ggml.unknown_token_id"},
  };
  EXPECT_NO_THROW(check_vocabulary(good()));
  for (const auto& c : cases) {
    Vocabulary v = good();
    c.spoil(v);
    try {
      check_vocabulary(v);
      ADD_FAILURE() << "no error that says " << c.message;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr(c.message));
    }
  }
}

}  // namespace
}  // namespace colonnade::text
