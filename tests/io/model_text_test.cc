#include "colonnade/io/model_text.h"

#include <filesystem>

#include "tests/support/gguf_builder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using ::testing::HasSubstr;

TEST(ModelText, IsAllOfTheFile) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_model_text(File(folder.write("a.json", "{\"a\": 1}\n"))), "{\"a\": 1}\n");
  EXPECT_EQ(read_model_text(File(folder.write("b.json", ""))), "");
}

TEST(ModelText, OtherThingsThanTextsAreNamed) {
  const test::TemporaryFolder folder;
  const auto error_of = [](const std::string& path) -> std::string {
    try {
      read_model_text(File(path));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(error_of(folder.write("a.json", "version https://git-lfs.github.com/spec/v1\n")),
              HasSubstr("a.json: expected a text of the model; this is a Git LFS pointer"));
  const std::string path = folder.write("b.json", "{}");
  std::filesystem::resize_file(path, kMostTextBytes + 1);
  EXPECT_THAT(error_of(path), HasSubstr("expected a text of at most 200000000 bytes"));
}

}  // namespace
}  // namespace colonnade
