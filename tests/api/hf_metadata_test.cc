#include "colonnade/api/hf_metadata.h"

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tests/text/tokenizer_golden.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/api/gguf_vocabulary.h"
#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using testing::HasSubstr;

std::string family(const std::string& name) {
  return std::string(COLONNADE_TEST_DATA) + "/families/" + name;
}

std::string error_of(const std::string& path) {
  try {
    gguf_metadata_of(ModelFiles(path), "m");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// A llama whose tokenizer.json has the form of another family's.
std::string folder_with(const test::TemporaryFolder& folder, const std::string& form) {
  const std::string path = folder.path() + "/" + form;
  std::filesystem::copy(family("llama"), path);
  const nlohmann::json data = test::tokenizer_data("forms")[form];
  const bool sentencepiece = data["vocabulary"] == "vocabulary-sp";
  folder.write(form + "/tokenizer.json", test::tokenizer_file(data));
  folder.write(form + "/tokenizer_config.json",
               sentencepiece ? R"({"bos_token": "<s>", "eos_token": "</s>"})"
                             : R"({"bos_token": "<|im_start|>", "eos_token": "<|im_end|>"})");
  return path;
}

TEST(HfMetadata, IsTheConfigurationUnderGgufsKeys) {
  const GgufMetadata keys("m.gguf",
                          gguf_metadata_of(ModelFiles(family("llama")), "shrunken").entries);
  EXPECT_EQ(keys.text("general.architecture"), "llama");
  EXPECT_EQ(keys.text("general.name"), "shrunken");
  EXPECT_EQ(keys.integer("llama.embedding_length"), 64);
  EXPECT_EQ(keys.integer("llama.attention.head_count_kv"), 2);
  EXPECT_EQ(keys.number("llama.rope.freq_base"), 500000);
  EXPECT_EQ(keys.text("tokenizer.ggml.pre"), "gpt-2");
  EXPECT_EQ(keys.strings("tokenizer.ggml.tokens").size(), 272);
  EXPECT_EQ(keys.integer("tokenizer.ggml.eos_token_id"), 271);
}

TEST(HfMetadata, ATokenizerOfEveryFormThatGgufHasKeysForGivesItsTokens) {
  const std::vector<std::string> lines = test::golden_lines(test::tokenizer_data("forms"));
  for (const char* form : {"gpt2", "smollm", "llama3", "qwen2", "bloom", "gpt-oss", "mistral-nemo",
                           "llama2", "mistral-v3", "gemma"}) {
    const test::TemporaryFolder folder;
    const ModelFiles model(folder_with(folder, form));
    const text::Tokenizer theirs = model.tokenizer();
    const text::Tokenizer ours(
        gguf_vocabulary(GgufMetadata("m.gguf", gguf_metadata_of(model, form).entries)));
    for (size_t i = 0; i < lines.size(); i += 10) {
      const auto special = text::ParseSpecial::no;
      EXPECT_EQ(ours.encode(lines[i], special, text::AddSpecial::yes),
                theirs.encode(lines[i], special, text::AddSpecial::yes))
          << form << ": " << lines[i];
    }
    EXPECT_EQ(ours.bos(), theirs.bos()) << form;
    EXPECT_EQ(ours.eos(), theirs.eos()) << form;
  }
}

TEST(HfMetadata, AConfigurationThatGgufCannotSayIsRefused) {
  EXPECT_THAT(error_of(family("qwen2_window")),
              HasSubstr("config.json: sliding windows or layer types"));
  EXPECT_THAT(error_of(family("qwen3_moe_mixed")),
              HasSubstr("config.json: sliding windows or layer types"));
  EXPECT_THAT(error_of(family("gemma3_linear")),
              HasSubstr("config.json: sliding windows or layer types"));
  EXPECT_THAT(error_of(family("gemma2")), HasSubstr("config.json: query_pre_attn_scalar"));
}

TEST(HfMetadata, ATokenizerThatGgufCannotSayIsRefused) {
  struct Case {
    const char* form;
    const char* expected;
  };
  const Case cases[] = {
      {"strip-left", "takes the spaces beside it"},
      {"metaspace-split",
       "tokenizer.json: expected a normalizer and a pre_tokenizer that turn spaces into"},
      {"gpt2-prefix-space", "tokenizer.json: expected a pre-tokenizer that GGUF has a name for"},
  };
  for (const Case& c : cases) {
    const test::TemporaryFolder folder;
    EXPECT_THAT(error_of(folder_with(folder, c.form)), HasSubstr(c.expected)) << c.form;
  }
}

}  // namespace
}  // namespace colonnade
