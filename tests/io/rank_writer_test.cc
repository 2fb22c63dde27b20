#include "colonnade/io/rank_writer.h"

#include <filesystem>

#include "tests/io/cut_model.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

TEST(RankWriter, AFileHoldsTheMetadataOfTheModelAndNothingThatItsRankNeedsNot) {
  const test::TemporaryFolder folder;
  const GgufFile whole(folder.write("whole.gguf", test::whole_model()));
  const std::vector<std::string> paths = test::cut_model(whole, folder.path() + "/m", 3);
  ASSERT_EQ(paths.size(), 3u);
  int64_t replicated = 0, cut = 0;
  for (const test::CutRule& rule : test::kCutRules)
    (rule.unit == 0 ? replicated : cut) += whole.find(rule.name)->size_bytes;
  int64_t held = 0;
  for (const std::string& path : paths) {
    const GgufFile file(path);
    EXPECT_EQ(file.metadata().text("general.architecture"), "llama");
    for (const GgufTensor& tensor : file.tensors()) held += tensor.size_bytes;
  }
  // Two cuts inside of a super-block and two inside of a group are held on both sides.
  const int64_t twice = 3 * 2 * 144 + 4 * 2 * 22;
  EXPECT_LE(held, cut + 3 * replicated + twice);
  EXPECT_GE(held, cut + 3 * replicated);
}

TEST(RankWriter, WithoutCommitNoFileIsLeft) {
  const test::TemporaryFolder folder;
  { const RankWriter writer(folder.path() + "/m", {}, test::cut_headers(2)); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace colonnade
