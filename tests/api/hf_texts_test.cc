#include "colonnade/api/hf_texts.h"

#include <string>

#include <gtest/gtest.h>

#include "colonnade/api/model_files.h"

namespace colonnade {
namespace {

TEST(HfTexts, KeysMakeTheConfigurationTheVocabularyAndTheTemplateOfTheFolder) {
  const std::string path = std::string(COLONNADE_TEST_DATA) + "/families/llama_scaled";
  const HfFolder folder(path);
  const GgufMetadata keys("m.gguf", hf_text_keys(folder));
  EXPECT_TRUE(has_hf_texts(keys));
  EXPECT_EQ(keys.text("general.architecture"), "llama");
  EXPECT_EQ(keys.text("general.name"), "llama_scaled");
  const HfConfig config = hf_config_of(keys, "m.gguf");
  EXPECT_EQ(config.names(), folder.config().names());
  EXPECT_EQ(config.place("rope_theta"), "m.gguf/config.json: rope_theta");
  const text::Vocabulary made = hf_vocabulary_of(keys, "m.gguf", 0);
  const text::Vocabulary own = ModelFiles(path).vocabulary();
  EXPECT_EQ(made.tokens, own.tokens);
  EXPECT_EQ(made.end_tokens, own.end_tokens);
  EXPECT_EQ(hf_chat_template_of(keys), folder.chat_template());
}

TEST(HfTexts, OtherKeysAreNone) {
  EXPECT_FALSE(has_hf_texts(GgufMetadata()));
  EXPECT_EQ(hf_chat_template_of(GgufMetadata()), "");
}

TEST(HfTexts, TheNameOfAFolderIsItsLast) {
  EXPECT_EQ(folder_name("models/llama"), "llama");
  EXPECT_EQ(folder_name("models/llama/"), "llama");
}

}  // namespace
}  // namespace colonnade
