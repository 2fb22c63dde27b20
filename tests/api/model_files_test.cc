#include "colonnade/api/model_files.h"

#include <filesystem>
#include <fstream>

#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

TEST(ModelFiles, AGgufFileIsAModel) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("tiny.gguf", test::tiny_model({}));
  const ModelFiles model(path);
  EXPECT_EQ(model.path(), path);
  EXPECT_EQ(model.config().architecture, "llama");
  EXPECT_NE(model.source().find("blk.0.attn_q.weight"), nullptr);
  EXPECT_EQ(static_cast<int64_t>(model.vocabulary().tokens.size()), model.config().vocab);
  ASSERT_EQ(model.files().size(), 1U);
  EXPECT_EQ(model.size_bytes(), model.files()[0].size());
}

const std::string kFamilies = std::string(COLONNADE_TEST_DATA) + "/families/";

TEST(ModelFiles, AHuggingFaceFolderIsAModel) {
  const ModelFiles model(kFamilies + "llama");
  EXPECT_EQ(model.config().architecture, "llama");
  EXPECT_EQ(model.source().find("blk.0.attn_q.weight")->file_name,
            "model.layers.0.self_attn.q_proj.weight");
  EXPECT_EQ(model.vocabulary().tokens.size(), static_cast<size_t>(model.config().vocab));
  EXPECT_TRUE(model.warnings().empty());
}

TEST(ModelFiles, AHeadBesideATiedEmbeddingIsIgnoredWithAWarningUnlessItIsACopy) {
  const test::TemporaryFolder folder;
  const std::filesystem::path from = kFamilies + "llama";
  for (const char* name : {"model.safetensors", "tokenizer.json", "tokenizer_config.json"})
    std::filesystem::copy(from / name, std::filesystem::path(folder.path()) / name);
  std::ifstream in(from / "config.json");
  nlohmann::json fields = nlohmann::json::parse(in);
  ASSERT_FALSE(fields.at("tie_word_embeddings").get<bool>());
  fields["tie_word_embeddings"] = true;
  folder.write("config.json", fields.dump());
  const ModelFiles model(folder.path());
  ASSERT_EQ(model.warnings().size(), 1U);
  EXPECT_THAT(model.warnings()[0], testing::HasSubstr("'lm_head.weight' is ignored"));
}

TEST(ModelFiles, OfAModelThatSeesImagesTheTextIsReadWithAWarning) {
  const ModelFiles model(kFamilies + "gemma3_images");
  EXPECT_EQ(model.config().architecture, "gemma3");
  EXPECT_EQ(model.source().find("token_embd.weight")->file_name,
            "language_model.model.embed_tokens.weight");
  ASSERT_EQ(model.warnings().size(), 1U);
  EXPECT_THAT(model.warnings()[0],
              testing::AllOf(testing::HasSubstr(" tensors of the part that sees images are not "),
                             testing::HasSubstr("multi_modal_projector.mm_input_projection_weight"),
                             testing::HasSubstr("this model answers texts only")));
}

TEST(ModelFiles, AnArchitectureThatIsUnknownIsAnErrorThatListsTheKnown) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write(
      "m.gguf", test::GgufBuilder().add_string("general.architecture", "mamba").bytes());
  try {
    const ModelFiles model(path);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'mamba'"));
    EXPECT_THAT(error.what(), testing::HasSubstr("qwen2"));
  }
}

}  // namespace
}  // namespace colonnade
