#include "colonnade/io/hf_folder.h"

#include <filesystem>
#include <string>

#include "tests/support/gguf_builder.h"
#include "tests/support/safetensors_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

namespace fs = std::filesystem;
using test::SafetensorsBuilder;
using ::testing::AllOf;
using ::testing::HasSubstr;

class HfFolderTest : public ::testing::Test {
 protected:
  void write_model() const {
    folder_.write("config.json", R"({"model_type": "llama"})");
    folder_.write("model.safetensors", SafetensorsBuilder().add("w", "U8", {1}, "x").bytes());
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  template <typename Function>
  static std::string error_of(const Function& function) {
    try {
      function();
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  test::TemporaryFolder folder_;
};

TEST_F(HfFolderTest, TheFolderAndItsFilesAreTheSameModel) {
  write_model();
  for (const std::string& start :
       {folder_.path(), path("config.json"), path("model.safetensors")}) {
    EXPECT_TRUE(is_hf_model(start)) << start;
    const HfFolder folder(start);
    EXPECT_EQ(folder.path(), folder_.path());
    EXPECT_EQ(folder.config().text("model_type"), "llama");
    EXPECT_NE(folder.weights().find("w"), nullptr);
  }
}

TEST_F(HfFolderTest, AFileThatTheIndexDoesNotNameIsAModelOfItsOwn) {
  write_model();
  folder_.write("other.safetensors", SafetensorsBuilder().add("v", "U8", {1}, "x").bytes());
  EXPECT_NE(HfFolder(path("other.safetensors")).weights().find("v"), nullptr);
}

TEST_F(HfFolderTest, OtherModelsAreNone) {
  EXPECT_FALSE(is_hf_model(folder_.path()));
  folder_.write("m.gguf", "");
  folder_.write("config.json", "{}");
  EXPECT_FALSE(is_hf_model(folder_.path()));
  EXPECT_FALSE(is_hf_model(path("m.gguf")));
  EXPECT_FALSE(is_hf_model(path("none")));
  folder_.write("model.safetensors", "");
  EXPECT_TRUE(is_hf_model(folder_.path()));
  EXPECT_THAT(error_of([&] { HfFolder(path("m.gguf")); }), HasSubstr("m.gguf: expected a folder"));
  EXPECT_THAT(error_of([&] { HfFolder(path("no/config.json")); }), HasSubstr("no such file"));
}

TEST_F(HfFolderTest, TextsAreReadAndMayBeMissing) {
  write_model();
  folder_.write("tokenizer.json", "{\"model\": {}}");
  folder_.write("generation_config.json", "{\"eos_token_id\": [1, 2]}");
  const HfFolder folder(folder_.path());
  EXPECT_EQ(folder.text("tokenizer.json"), "{\"model\": {}}");
  EXPECT_EQ(folder.text("none.json"), std::nullopt);
  ASSERT_TRUE(folder.generation_config().has_value());
  EXPECT_EQ(folder.generation_config()->integers("eos_token_id").size(), 2U);
  fs::remove(path("generation_config.json"));
  EXPECT_FALSE(folder.generation_config().has_value());
  fs::create_symlink("../blobs/a", path("vocab.json"));
  EXPECT_THAT(error_of([&] { folder.text("vocab.json"); }),
              HasSubstr("vocab.json: a link is there, but not ../blobs/a"));
}

TEST_F(HfFolderTest, AConfigThatIsMissingOrWrongIsNamed) {
  folder_.write("model.safetensors", "");
  EXPECT_THAT(error_of([&] { HfFolder(folder_.path()).config(); }),
              HasSubstr(folder_.path() + ": expected config.json"));
  folder_.write("config.json", "[]");
  EXPECT_THAT(error_of([&] { HfFolder folder(folder_.path()); }),
              HasSubstr("config.json: expected an object, got a list of 0"));
  folder_.write("config.json", "<html></html>");
  EXPECT_THAT(error_of([&] { HfFolder folder(folder_.path()); }),
              HasSubstr("config.json: expected a text of the model; this is a web page"));
}

TEST_F(HfFolderTest, TheChatTemplateIsWhereverToolsPutIt) {
  write_model();
  const HfFolder folder(folder_.path());
  EXPECT_EQ(folder.chat_template(), "");
  folder_.write("chat_template.json", R"({"chat_template": "C"})");
  EXPECT_EQ(folder.chat_template(), "C");
  folder_.write("tokenizer_config.json", R"({"chat_template": null})");
  EXPECT_EQ(folder.chat_template(), "C");
  folder_.write("tokenizer_config.json", R"({"chat_template": "T"})");
  EXPECT_EQ(folder.chat_template(), "T");
  folder_.write("chat_template.jinja", "J\n");
  EXPECT_EQ(folder.chat_template(), "J\n");
}

TEST_F(HfFolderTest, OfSeveralTemplatesItIsTheDefault) {
  write_model();
  const HfFolder folder(folder_.path());
  const auto write = [&](const std::string& templates) {
    folder_.write("tokenizer_config.json", "{\"chat_template\": [" + templates + "]}");
  };
  write(R"({"name": "tool_use", "template": "U"}, {"name": "default", "template": "D"})");
  EXPECT_EQ(folder.chat_template(), "D");
  write(R"({"name": "rag", "template": "R"})");
  EXPECT_EQ(folder.chat_template(), "R");
  write("");
  EXPECT_EQ(folder.chat_template(), "");
  write(R"({"name": "rag", "template": "R"}, {"name": "tool_use", "template": "U"})");
  EXPECT_THAT(error_of([&] { folder.chat_template(); }),
              HasSubstr("chat_template: expected a template with the name default, got rag, tool"));
  write(R"({"name": "default"}, {"name": "rag", "template": "R"})");
  EXPECT_THAT(error_of([&] { folder.chat_template(); }),
              HasSubstr("chat_template[0]: field 'template' is missing"));
  folder_.write("tokenizer_config.json", R"({"chat_template": 1})");
  EXPECT_THAT(error_of([&] { folder.chat_template(); }),
              HasSubstr("chat_template: expected a text, got 1"));
}

TEST_F(HfFolderTest, WeightsInAFormThatIsNotReadAreRefusedWithWhatToDo) {
  folder_.write("config.json", "{}");
  folder_.write("pytorch_model-00001-of-00002.bin", "PK");
  EXPECT_TRUE(is_hf_model(folder_.path()));
  EXPECT_THAT(error_of([&] { HfFolder(folder_.path()).weights(); }),
              AllOf(HasSubstr("expected model.safetensors, got pytorch_model-00001-of-00002.bin"),
                    HasSubstr("convert it with transformers")));
  folder_.write("model.safetensors", SafetensorsBuilder().add("w", "U8", {1}, "x").bytes());
  EXPECT_NE(HfFolder(folder_.path()).weights().find("w"), nullptr);
}

}  // namespace
}  // namespace colonnade
