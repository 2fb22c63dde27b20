#include "colonnade/api/hf_export.h"

#include <set>
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

constexpr const char* kWritten[] = {
    "bloom",         "bloom_6_heads", "gemma2_plain", "gemma3_plain",  "gpt2",
    "gpt2_bare",     "gpt_oss",       "llama",        "llama_biases",  "llama_scaled",
    "llama_yarn",    "mistral",       "opt",          "opt_post_norm", "phi3",
    "phi3_longrope", "qwen2",         "qwen3",        "qwen3_moe"};

/// F32, and the type of all matrices.
std::set<GgmlType> exact_types(const std::string& model) {
  std::set<GgmlType> types;
  for (const TensorEntry& entry : ModelFiles(model).source().entries()) {
    if (entry.rows > 1)
      types.insert(entry.format == WeightFormat::bf16 ? GgmlType::bf16 : GgmlType::f32);
  }
  if (types.size() == 1) types.insert(GgmlType::f32);
  return types;
}

TEST(HfExport, TheGgufFileOfAFolderHasTheBitsAndTheTokensOfTheFolder) {
  for (const char* name : kWritten) {
    const test::TemporaryFolder folder;
    const std::string output = folder.path() + "/m.gguf";
    for (const GgmlType type : exact_types(family(name))) {
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
