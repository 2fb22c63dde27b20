#include "colonnade/api/model_files.h"

#include "tests/support/gguf_builder.h"
#include "tests/support/tiny_model.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
