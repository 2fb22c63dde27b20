// Files in which one field is wrong: the message names the file, the field, its value, and where it
// stands.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/api/model_files.h"
#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using test::gguf_string;
using test::le;
using ::testing::HasSubstr;

constexpr uint32_t kU32 = 4, kI32 = 5, kF32 = 6, kBool = 7, kString = 8, kArray = 9;

test::TinyFault u32(const std::string& key, uint32_t value) { return {key, kU32, le(value)}; }
test::TinyFault i32(const std::string& key, int32_t value) { return {key, kI32, le(value)}; }
test::TinyFault f32(const std::string& key, float value) { return {key, kF32, le(value)}; }
test::TinyFault text(const std::string& key, std::string_view value) {
  return {key, kString, gguf_string(value)};
}
template <typename T>
test::TinyFault list(const std::string& key, uint32_t type, const std::vector<T>& values) {
  std::string bytes = le(type) + le<uint64_t>(values.size());
  for (const T& value : values) bytes += le(value);
  return {key, kArray, bytes};
}

struct Wrong {
  test::TinyFault fault;
  std::string words;                         // of the message
  bool at_offset = true;                     // the message says where the key stands
  std::vector<test::TinyFault> beside = {};  // without which the field would not be read
};

class BadFiles : public ::testing::Test {
 protected:
  /// The message, the file's path cut off its front.
  std::string message(const Wrong& wrong, const char* architecture) {
    test::TinyShape shape;
    shape.architecture = architecture;
    shape.layers = 1;
    shape.faults = wrong.beside;
    shape.faults.push_back(wrong.fault);
    const std::string path = folder_.write("model.gguf", test::tiny_model(shape));
    try {
      const ModelFiles files(path);
      files.tokenizer();
      files.chat_template();
    } catch (const Error& error) {
      const std::string words = error.what();
      EXPECT_EQ(words.find(path + ": "), 0U) << words;
      return words.substr(std::min(words.size(), path.size() + 2));
    }
    return "no error";
  }

  void expect(const std::vector<Wrong>& cases, const char* architecture) {
    for (const Wrong& wrong : cases) {
      const std::string got = message(wrong, architecture);
      EXPECT_THAT(got, HasSubstr(wrong.fault.key)) << wrong.words;
      EXPECT_THAT(got, HasSubstr(wrong.words)) << wrong.fault.key;
      EXPECT_EQ(got.find(" (offset ") != std::string::npos, wrong.at_offset) << got;
    }
  }

  test::TemporaryFolder folder_;
};

TEST_F(BadFiles, TheFileWithoutFaultsOpens) {
  EXPECT_EQ(message({u32("general.quantization_version", 2), ""}, "llama"), "no error");
}

TEST_F(BadFiles, EveryKeyOfTheConfigurationIsNamedWithItsValue) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const test::TinyFault yarn = text("llama.rope.scaling.type", "yarn");
  const test::TinyFault experts = u32("llama.expert_count", 4);
  const test::TinyFault window = u32("llama.attention.sliding_window", 64);
  expect(
      {
          {u32("general.architecture", 1), "expected a string, got a value of type u32"},
          {u32("general.name", 1), "expected a string, got a value of type u32"},
          {u32("llama.block_count", 0), "expected 1 to 10000, got 0"},
          {i32("llama.block_count", -1), "expected 1 to 10000, got -1"},
          {u32("llama.block_count", 10001), "expected 1 to 10000, got 10001"},
          {f32("llama.block_count", 1), "expected an integer, got a value of type f32"},
          {u32("llama.embedding_length", 0), "expected 1 to 16777216, got 0"},
          {u32("llama.embedding_length", 1 << 25), "expected 1 to 16777216, got 33554432"},
          {u32("llama.feed_forward_length", 0), "expected 1 to 16777216, got 0"},
          {list<uint32_t>("llama.feed_forward_length", kU32, {544}),
           "expected an integer, got an array of u32"},
          {u32("llama.context_length", 0), "expected 1 to 2147483648, got 0"},
          {u32("llama.attention.head_count", 0), "expected 1 to 65536, got 0"},
          {u32("llama.attention.head_count", 65537), "expected 1 to 65536, got 65537"},
          {u32("llama.attention.head_count_kv", 0), "expected 1 to 9, got 0"},
          {u32("llama.attention.head_count_kv", 10), "expected 1 to 9, got 10"},
          {u32("llama.attention.head_count_kv", 2), "expected a divisor of the 9 heads, got 2"},
          {u32("llama.attention.key_length", 0), "expected 1 to 512, got 0"},
          {u32("llama.attention.key_length", 513), "expected 1 to 512, got 513"},
          {u32("llama.attention.value_length", 16), "expected 32 as for keys, got 16"},
          {u32("llama.rope.dimension_count", 0), "expected 1 to 32, got 0"},
          {u32("llama.rope.dimension_count", 33), "expected 1 to 32, got 33"},
          {u32("llama.rope.dimension_count", 31), "expected an even number, got 31"},
          {f32("llama.rope.freq_base", 0), "expected a positive number, got 0"},
          {f32("llama.rope.freq_base", nan), "expected a positive number, got nan"},
          {f32("llama.rope.freq_base", INFINITY), "expected a positive number, got inf"},
          {text("llama.rope.freq_base", "1e4"), "expected a number, got a value of type string"},
          {text("llama.rope.scaling.type", "twisted"),
           "expected none, linear or yarn, got 'twisted'"},
          {u32("llama.rope.scaling.type", 1), "expected a string, got a value of type u32"},
          {f32("llama.rope.scaling.factor", -2), "expected a positive number, got -2"},
          {f32("llama.rope.scale_linear", 0), "expected a positive number, got 0"},
          {u32("llama.rope.scaling.original_context_length", 0), "expected 1 to 2147483648, got 0"},
          {f32("llama.rope.scaling.attn_factor", 0), "a positive number, got 0", true, {yarn}},
          {f32("llama.rope.scaling.yarn_beta_fast", 0), "a positive number, got 0", true, {yarn}},
          {f32("llama.rope.scaling.yarn_beta_slow", nan), "got nan", true, {yarn}},
          {f32("llama.attention.layer_norm_rms_epsilon", 0), "a value between 0 and 1, got 0"},
          {f32("llama.attention.layer_norm_rms_epsilon", nan), "a value between 0 and 1, got nan"},
          {f32("llama.attn_logit_softcapping", -1), "expected a positive number, got -1"},
          {f32("llama.final_logit_softcapping", nan), "expected a positive number, got nan"},
          {{"llama.attention.causal", kBool, std::string(1, '\0')}, "expected true, got false"},
          {u32("llama.attention.causal", 0), "expected a bool, got a value of type u32"},
          {f32("llama.rope.freq_base_swa", 5), "expected 10000 as for all layers, got 5"},
          {f32("llama.rope.freq_base_swa", -5), "expected a positive number, got -5"},
          {i32("llama.attention.sliding_window_pattern", -1), "0 or more, got -1", true, {window}},
          {text("llama.attention.sliding_window_pattern", "x"), "an integer", true, {window}},
          {list<uint8_t>("llama.attention.sliding_window_pattern", kBool, {1, 0}),
           "expected one bool for each of 1 layers, got 2",
           true,
           {window}},
          {list<uint32_t>("llama.attention.sliding_window_pattern", kU32, {1}),
           "expected an array of bools, got an array of u32",
           true,
           {window}},
          {i32("llama.attention.sliding_window", -5), "expected 0 (none) to 2147483648, got -5"},
          {i32("llama.expert_count", -1), "expected 1 to 4096, got -1"},
          {u32("llama.expert_used_count", 5), "expected 1 to 4, got 5", true, {experts}},
          {u32("llama.expert_feed_forward_length", 0),
           "expected 1 to 16777216, got 0",
           true,
           {experts, u32("llama.expert_used_count", 2)}},
      },
      "llama");
}

TEST_F(BadFiles, EveryKeyThatMustBeThereIsMissed) {
  std::vector<Wrong> cases = {
      {{"general.architecture"}, "expected a string, but the file has no such key", false},
      {{"tokenizer.ggml.model"}, "expected a string, but the file has no such key", false},
  };
  for (const char* key : {"block_count", "embedding_length", "feed_forward_length",
                          "context_length", "attention.head_count"}) {
    cases.push_back(
        {{std::string("qwen3.") + key}, "an integer, but the file has no such key", false});
  }
  expect(cases, "qwen3");
}

TEST_F(BadFiles, EveryKeyOfTheTokenizerIsNamedWithItsValue) {
  std::vector<Wrong> cases = {
      {text("tokenizer.ggml.model", "t5"), "is 't5', which is not supported; supported: gpt2",
       false},
      {u32("tokenizer.ggml.model", 1), "expected a string, got a value of type u32"},
      {text("tokenizer.ggml.pre", "martian"), "martian", false},
      {u32("tokenizer.ggml.pre", 1), "expected a string, got a value of type u32"},
      {list<uint32_t>("tokenizer.ggml.tokens", kU32, {1}),
       "an array of strings, got an array of u32"},
      {list<uint32_t>("tokenizer.ggml.merges", kU32, {1}),
       "an array of strings, got an array of u32"},
      {text("tokenizer.ggml.merges", "a b"), "an array of strings, got a value of type string"},
      {list<int32_t>("tokenizer.ggml.token_type", kI32, {1}),
       "expected 600 entries, one per token, got 1", false},
      {list<int32_t>("tokenizer.ggml.token_type", kI32, std::vector<int32_t>(600, 9)),
       "[0]: expected 1..6, got 9", false},
      {list<float>("tokenizer.ggml.token_type", kF32, {1}),
       "an array of integers, got an array of f32"},
      {text("tokenizer.ggml.scores", "x"), "an array of numbers, got a value of type string"},
      {{"tokenizer.ggml.merges", kArray, le(kString) + le<uint64_t>(1) + gguf_string("ab")},
       "[0] 'ab': ",
       false},
      {{"tokenizer.ggml.add_bos_token", kString, gguf_string("yes")},
       "expected a bool, got a value of type string"},
      {u32("tokenizer.ggml.add_eos_token", 1), "expected a bool, got a value of type u32"},
  };
  for (const char* name : {"tokens", "merges", "token_type", "scores"}) {
    cases.push_back({i32(std::string("tokenizer.ggml.") + name, 1), "expected an array of ", true});
  }
  cases.push_back({u32("tokenizer.ggml.add_space_prefix", 1), "expected a bool"});
  cases.push_back({u32("tokenizer.chat_template", 1), "expected a string"});
  for (const char* which : {"bos", "eos", "eot", "padding", "unknown"}) {
    const std::string key = std::string("tokenizer.ggml.") + which + "_token_id";
    cases.push_back(
        {u32(key, 600), "expected an id below 600, the number of tokens, got 600", false});
    cases.push_back(
        {i32(key, -2), "expected an id below 600, the number of tokens, got -2", false});
    cases.push_back({u32(key, 1U << 31), "expected a 32-bit number, got 2147483648"});
    cases.push_back({{key, kBool, "\1"}, "expected an integer, got a value of type bool"});
  }
  expect(cases, "llama");
}

TEST_F(BadFiles, AnUnknownArchitectureIsNamedWithTheKnownOnes) {
  EXPECT_THAT(message({text("general.architecture", "mamba"), ""}, "llama"),
              testing::AllOf(HasSubstr("architecture 'mamba'"), HasSubstr("llama")));
}

}  // namespace
}  // namespace colonnade
