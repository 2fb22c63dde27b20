#include "colonnade/io/gguf_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace colonnade {
namespace {

using testing::ElementsAre;

TEST(GgufKeys, AreReadBackAsTheyWereSaid) {
  GgufKeys keys;
  keys.integer("layers", 4'000'000'000);
  keys.number("theta", 0.25);
  keys.flag("tied", true);
  keys.text("name", "tiny");
  keys.texts("tokens", {"a", "", "bc"});
  keys.numbers("types", std::vector<int32_t>{1, -3});
  keys.numbers("shapes", std::vector<int64_t>{int64_t{1} << 40, 2});
  keys.numbers("scores", std::vector<float>{-1.5F, 2});
  keys.numbers("none", std::vector<double>{});
  const GgufMetadata read("file", keys.entries);
  EXPECT_EQ(read.integer("layers"), 4'000'000'000);
  EXPECT_EQ(read.number("theta"), 0.25);
  EXPECT_TRUE(read.flag_or("tied", false));
  EXPECT_EQ(read.text("name"), "tiny");
  const StringArray& tokens = read.strings("tokens");
  ASSERT_EQ(tokens.size(), 3);
  EXPECT_EQ(tokens[0], "a");
  EXPECT_EQ(tokens[1], "");
  EXPECT_EQ(tokens[2], "bc");
  EXPECT_THAT(read.integers("types"), ElementsAre(1, -3));
  EXPECT_THAT(read.integers("shapes"), ElementsAre(int64_t{1} << 40, 2));
  EXPECT_THAT(read.numbers("scores"), ElementsAre(-1.5F, 2));
  EXPECT_TRUE(read.numbers("none").empty());
  EXPECT_EQ(keys.entries.front().key, "layers");
}

}  // namespace
}  // namespace colonnade
