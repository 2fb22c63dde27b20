#include "colonnade/cli/flag_table.h"

#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "colonnade/api/plan_prediction.h"
#include "colonnade/base/text_file.h"

namespace colonnade::cli {
namespace {

TEST(FlagTable, NoSpellingMeansTwoThingsInOneCommand) {
  for (const Command& command : all_commands()) {
    std::set<std::string_view> seen;
    for (const Flag& flag : all_flags()) {
      if (!flag.belongs_to(command.name)) continue;
      for (const std::string_view spelling : flag.spellings())
        EXPECT_TRUE(seen.insert(spelling).second) << command.name << " " << spelling;
    }
  }
}

TEST(FlagTable, EveryFlagBelongsToCommandsThatExist) {
  for (const Flag& flag : all_flags()) {
    EXPECT_FALSE(flag.commands.empty()) << flag.name;
    for (const std::string_view name : split(flag.commands, ' '))
      EXPECT_NE(find_command(name), nullptr) << flag.name << " " << name;
  }
}

TEST(FlagTable, NoUnsupportedFlagIsSupportedAnywhere) {
  for (const UnsupportedFlag& unsupported : unsupported_flags()) {
    for (const Command& command : all_commands()) {
      for (const std::string_view spelling : split(unsupported.spellings, ' '))
        EXPECT_EQ(find_flag(command.name, spelling), nullptr) << command.name << " " << spelling;
    }
  }
}

TEST(FlagTable, SpellingsOfLlamaCppAndVllmNameTheSameFlag) {
  for (const char* spelling : {"-n", "--n-predict", "--predict", "--max-tokens", "--n_predict"})
    EXPECT_EQ(find_flag("run", spelling)->name, "--max-tokens") << spelling;
  for (const char* spelling : {"-c", "--ctx-size", "--max-model-len", "--max_model_len"})
    EXPECT_EQ(find_flag("chat", spelling)->name, "--ctx-size") << spelling;
  for (const char* spelling : {"-ub", "--ubatch-size", "--chunk"})
    EXPECT_EQ(find_flag("run", spelling)->name, "--chunk") << spelling;
  for (const char* spelling : {"-tp", "--tensor-parallel-size", "--tensor_parallel", "--ranks"})
    EXPECT_EQ(find_flag("plan", spelling)->name, "--tp") << spelling;
  EXPECT_EQ(find_flag("plan", "-ts")->name, "--shares");
  EXPECT_EQ(find_flag("bench", "-p")->name, "--n-prompt");
  EXPECT_EQ(find_flag("run", "-p")->name, "--prompt");
}

TEST(FlagTable, SuggestsTheNearestFlagAndNothingForGibberish) {
  EXPECT_EQ(nearest_flag("run", "--thread"), "--threads");
  EXPECT_EQ(nearest_flag("run", "--tempreature"), "--temperature");
  EXPECT_EQ(nearest_flag("run", "--max-token"), "--max-tokens");
  EXPECT_EQ(nearest_flag("run", "-max-tokens"), "--max-tokens");
  EXPECT_EQ(nearest_flag("run", "--TOP-K"), "--top-k");
  EXPECT_EQ(nearest_flag("run", "--quxquxqux"), "");
  EXPECT_EQ(nearest_command("tokenise"), "tokenize");
  EXPECT_EQ(nearest_command("qqqqqq"), "");
}

TEST(FlagTable, ChoicesAreTheAlternativesOfTheValue) {
  EXPECT_EQ(find_flag("run", "--precision")->choices(),
            (std::vector<std::string_view>{"int8", "int15", "f32"}));
  EXPECT_TRUE(find_flag("run", "--model")->choices().empty());
}

TEST(FlagTable, EveryLinkThatIsKnownCanBeNamed) {
  std::vector<std::string_view> names;
  for (const Link& link : known_links()) names.push_back(link.name);
  EXPECT_EQ(find_flag("plan", "--link")->choices(), names);
}

}  // namespace
}  // namespace colonnade::cli
