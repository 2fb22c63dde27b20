#include "colonnade/api/hf_export.h"

#include <string>

#include "tests/support/gguf_builder.h"
#include "tests/support/session_answer.h"
#include <gtest/gtest.h>

#include "colonnade/api/model_files.h"
#include "colonnade/api/quantize.h"

namespace colonnade {
namespace {

std::string family(const std::string& name) {
  return std::string(COLONNADE_TEST_DATA) + "/families/" + name;
}

std::vector<float> logits_of(const std::string& model) {
  SessionOptions options;
  options.model = model;
  options.threads = 1;
  options.precision = Tier::f32;
  Session session(options);
  const std::vector<int32_t> ids = {5, 40, 77, 100, 3, 40, 200, 9, 12, 13};
  return test::prompt_logits(session, ids);
}

TEST(HfExport, TheGgufFileOfAFolderHasTheBitsAndTheTokensOfTheFolder) {
  for (const char* name : {"llama", "llama_biases", "qwen2", "qwen3"}) {
    const test::TemporaryFolder folder;
    const std::string output = folder.path() + "/m.gguf";
    for (const GgmlType type : {GgmlType::bf16, GgmlType::f32}) {
      quantize_model({.model = family(name), .output = output, .types = {type}, .threads = 2});
      EXPECT_TRUE(test::same_bits(logits_of(output), logits_of(family(name))))
          << name << " as " << name_of(type);
    }
    const text::Tokenizer ours = load_tokenizer(output), theirs = load_tokenizer(family(name));
    const std::string text = "Hello, world's 123 tests:\n\n  a  b\tc <|im_end|> \xc3\xa9t\xc3\xa9";
    EXPECT_EQ(ours.encode(text, text::ParseSpecial::yes, text::AddSpecial::yes),
              theirs.encode(text, text::ParseSpecial::yes, text::AddSpecial::yes))
        << name;
    EXPECT_EQ(ours.eos(), theirs.eos());
    EXPECT_EQ(ModelFiles(output).chat_template(), ModelFiles(family(name)).chat_template());
  }
}

}  // namespace
}  // namespace colonnade
