// The vocabularies of real models over the corpus of the tokenizer tests.
#include "tests/support/environment.h"
#include "tests/text/tokenizer_golden.h"
#include <gtest/gtest.h>

#include "colonnade/api/gguf_vocabulary.h"
#include "colonnade/io/gguf.h"

namespace colonnade {
namespace {

text::Tokenizer tokenizer_of(const std::string& path) {
  return text::Tokenizer(gguf_vocabulary(GgufFile(path).metadata()));
}

TEST(RealTokenizers, SmolLm2GivesTheIdsOfTheReference) {
  const std::string path = test::cached_model("smollm2-135m");
  if (path.empty()) GTEST_SKIP() << "fetch it with tools/get_model smollm2-135m";
  const text::Tokenizer tokenizer = tokenizer_of(path);
  test::expect_golden_ids(tokenizer, "smollm2-135m");
  EXPECT_EQ(tokenizer.token_text(tokenizer.bos()), "<|im_start|>");
  EXPECT_TRUE(tokenizer.is_end_of_generation(tokenizer.token_id("<|im_end|>").value()));
  EXPECT_TRUE(tokenizer.is_end_of_generation(tokenizer.token_id("<|endoftext|>").value()));
}

TEST(RealTokenizers, Qwen25GivesTheIdsOfTheReferenceAndTextComesBack) {
  const std::string path = test::cached_model("qwen2.5-coder-0.5b");
  if (path.empty()) GTEST_SKIP() << "fetch it with tools/get_model qwen2.5-coder-0.5b";
  const text::Tokenizer tokenizer = tokenizer_of(path);
  test::expect_golden_ids(tokenizer, "qwen2.5-coder-0.5b");
  test::expect_round_trip(tokenizer, test::Normalizes::nfc);
}

// The vocabulary has no token for these, so they get lost, in the reference too.
bool smollm2_lacks(char32_t c) {
  return c == 4 || c == 6 || c == 0x13 || c == 0x14 || c == 0x16 || c == 0x1D ||
         (c >= 0x40000 && c < 0xC0000);
}

TEST(RealTokenizers, WhatSmolLm2HasTokensForComesBack) {
  const std::string path = test::cached_model("smollm2-135m");
  if (path.empty()) GTEST_SKIP() << "fetch it with tools/get_model smollm2-135m";
  const text::Tokenizer tokenizer = tokenizer_of(path);
  int kept = 0;
  for (const std::string& line : test::CorpusMaker().lines(20, 12000)) {
    const std::u32string characters = test::code_points(line);
    if (std::any_of(characters.begin(), characters.end(), smollm2_lacks)) continue;
    const auto ids = tokenizer.encode(line, text::ParseSpecial::yes, text::AddSpecial::no);
    ASSERT_EQ(tokenizer.decode(ids, text::ControlText::keep), line);
    ++kept;
  }
  EXPECT_GT(kept, 10'000);
}

TEST(RealTokenizers, Gemma3GivesTheIdsOfTheReferenceAndTextComesBack) {
  const std::string path = test::cached_model("gemma3-270m");
  if (path.empty()) GTEST_SKIP() << "fetch it with tools/get_model gemma3-270m";
  const text::Tokenizer tokenizer = tokenizer_of(path);
  test::expect_golden_ids(tokenizer, "gemma3-270m");
  test::expect_round_trip(tokenizer, test::Normalizes::spaces);
  const auto runs = test::tokenizer_data("gemma3-270m")["runs"]
                        .get<std::vector<std::vector<std::vector<int32_t>>>>();
  for (size_t n = 0; n < runs.size(); ++n) {
    for (size_t k = 0; k < 3; ++k) {
      const std::string text = "a" + std::string(n, " \n\t"[k]) + "b";
      EXPECT_EQ(tokenizer.encode(text, text::ParseSpecial::no, text::AddSpecial::no), runs[n][k])
          << n << " of " << k;
    }
  }
  EXPECT_TRUE(tokenizer.is_end_of_generation(tokenizer.token_id("<end_of_turn>").value()));
  EXPECT_EQ(tokenizer.encode("", text::ParseSpecial::no, text::AddSpecial::yes),
            std::vector<int32_t>{tokenizer.bos()});
}

}  // namespace
}  // namespace colonnade
