#include "colonnade/cli/arguments.h"

#include <cmath>

#include <gtest/gtest.h>

#include "colonnade/cli/exit_codes.h"

namespace colonnade::cli {
namespace {

Arguments parse(const std::vector<std::string>& words, const char* command = "run") {
  return {*find_command(command), words};
}

std::string refusal(const std::vector<std::string>& words, const char* command = "run") {
  try {
    parse(words, command);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Arguments, AValueIsTheNextWordOrStandsBehindAnEqualsSign) {
  EXPECT_EQ(parse({"-m", "a"}).text("--model"), "a");
  EXPECT_EQ(parse({"--model=a=b"}).text("--model"), "a=b");
  EXPECT_EQ(parse({"-m=a"}).text("--model"), "a");
  EXPECT_EQ(parse({"--prompt="}).text("--prompt"), "");
  EXPECT_EQ(parse({"-p", ""}).text("--prompt"), "");
}

TEST(Arguments, AValueMayBeginWithADash) {
  EXPECT_EQ(parse({"-p", "-n"}).text("--prompt"), "-n");
  EXPECT_EQ(parse({"--temp", "-1"}).number("--temp"), -1.0F);
  EXPECT_EQ(parse({"-p", "--"}).text("--prompt"), "--");
}

TEST(Arguments, ATextIsNotTouched) {
  for (const char* text : {"[a,b]", "{}", "\"quoted\"", "%%", " ", "a\\nb", "-", "--x=1"})
    EXPECT_EQ(parse({"-p", text}).text("--prompt"), text);
}

TEST(Arguments, DigitsMayFollowAShortFlag) {
  EXPECT_EQ(parse({"-t4"}).integer("--threads", 1), 4);
  EXPECT_EQ(parse({"-n-1"}).integer("--max-tokens", -2), -1);
  EXPECT_NE(refusal({"-tp"}), "");
}

TEST(Arguments, TheLastOfSeveralValuesCountsAndListsKeepAll) {
  EXPECT_EQ(parse({"-t", "1", "--threads", "2"}).integer("--threads", 1), 2);
  EXPECT_EQ(parse({"--stop", "a", "--stop", "b"}).texts("--stop"),
            (std::vector<std::string>{"a", "b"}));
}

TEST(Arguments, UnderscoresCountAsDashes) {
  EXPECT_EQ(parse({"--top_k", "3"}).integer("--top-k", -1), 3);
}

TEST(Arguments, SeveralLettersBehindOneDashAreOneFlag) {
  EXPECT_EQ(parse({"-ub", "64"}).integer("--chunk", 1), 64);
  EXPECT_EQ(parse({"-tp", "2"}).integer("--tp", 1), 2);
  EXPECT_NE(refusal({"-pp", "2"}).find("cuts layers"), std::string::npos);
  EXPECT_EQ(refusal({"-pp", "1", "-m", "a"}), "");
  EXPECT_EQ(parse({"-pp", "1", "-m", "a"}).text("--model"), "a");
}

TEST(Arguments, AnUnknownFlagIsRefusedWithTheNearestOne) {
  EXPECT_NE(refusal({"--thread", "3"}).find("did you mean --threads?"), std::string::npos);
  EXPECT_NE(refusal({"-xyz"}).find("unknown flag -xyz"), std::string::npos);
  EXPECT_NE(refusal({"--n-gen", "3"}).find("`colonnade bench` has --n-gen"), std::string::npos);
}

TEST(Arguments, MissingAndUnwantedValuesAreRefused) {
  EXPECT_NE(refusal({"-m"}).find("-m: expected a value (FILE)"), std::string::npos);
  EXPECT_NE(refusal({"--json=yes"}).find("--json: expected no value"), std::string::npos);
}

TEST(Arguments, NumbersAreReadWholeOrRefusedByName) {
  EXPECT_THROW(parse({"-t", "3x"}).integer("--threads", 1), UsageError);
  EXPECT_THROW(parse({"-t", ""}).integer("--threads", 1), UsageError);
  EXPECT_THROW(parse({"-t", "0"}).integer("--threads", 1), UsageError);
  EXPECT_THROW(parse({"-t", "99999999999999999999"}).integer("--threads", 1), UsageError);
  EXPECT_THROW(parse({"--temp", "0,8"}).number("--temp"), UsageError);
  EXPECT_TRUE(std::isnan(*parse({"--temp", "NaN"}).number("--temp")));
  EXPECT_EQ(parse({"--temp", "1e-8"}).number("--temp"), 1e-8F);
  EXPECT_EQ(parse({"--temp", "+.5"}).number("--temp"), 0.5F);
}

TEST(Arguments, ListsOfIntegersHaveCommas) {
  EXPECT_EQ(parse({"-t", "1,2,8"}, "bench").integers("--threads", 1, {}),
            (std::vector<int64_t>{1, 2, 8}));
  EXPECT_EQ(parse({}, "bench").integers("--threads", 1, {7}), (std::vector<int64_t>{7}));
  for (const char* wrong : {"1,,2", "", "1,", "a", "0"})
    EXPECT_THROW(parse({"-t", wrong}, "bench").integers("--threads", 1, {}), UsageError) << wrong;
}

TEST(Arguments, ListsOfNumbersAreAboveZero) {
  EXPECT_EQ(parse({"--shares", "3,0.5,1e2"}, "plan").numbers("--shares"),
            (std::vector<double>{3, 0.5, 100}));
  EXPECT_TRUE(parse({}, "plan").numbers("--shares").empty());
  for (const char* wrong : {"1,,2", "", "1,", "a", "0", "-1", "3,0", "inf", "nan", "1e999", "1;2"})
    EXPECT_THROW(parse({"--shares", wrong}, "plan").numbers("--shares"), UsageError) << wrong;
}

TEST(Arguments, SizesHavePowersOf1024) {
  EXPECT_EQ(parse({"--memory", "16G,512M,1.5KiB,7,2TB"}, "plan").sizes("--memory"),
            (std::vector<int64_t>{int64_t{16} << 30, 512 << 20, 1536, 7, int64_t{2} << 40}));
  for (const char* wrong : {"", "G", "-1G", "0", "1,,2", "16X", "nan", "1e30", "1 G", "i"})
    EXPECT_THROW(parse({"--memory", wrong}, "plan").sizes("--memory"), UsageError) << wrong;
}

TEST(Arguments, ChoicesAreNumberedAsInTheTable) {
  EXPECT_EQ(parse({"--precision", "f32"}).choice("--precision"), 2U);
  EXPECT_EQ(parse({}).choice("--precision"), std::nullopt);
  EXPECT_THROW(parse({"--precision", "f64"}).choice("--precision"), UsageError);
}

TEST(Arguments, WordsWithoutAFlagAreKept) {
  EXPECT_EQ(parse({"bash", "--", "-x"}, "completion").words(),
            (std::vector<std::string>{"bash", "-x"}));
}

}  // namespace
}  // namespace colonnade::cli
