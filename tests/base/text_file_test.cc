#include "colonnade/base/text_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

using Parts = std::vector<std::string_view>;

TEST(TextFile, ReadsFilesWhoseSizeIsNotKnownBefore) {
  const auto status = read_text("/proc/self/status");
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(field_of(*status, "VmHWM").has_value());
}

TEST(TextFile, WhatCannotBeReadIsNothing) {
  EXPECT_EQ(read_text("/no/such/file"), std::nullopt);
  EXPECT_EQ(read_text("/proc"), std::nullopt);
}

TEST(TextFile, TrimsBothEnds) {
  EXPECT_EQ(trim(" \t48K \n"), "48K");
  EXPECT_EQ(trim("a b"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(TextFile, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("0::/a", ':'), (Parts{"0", "", "/a"}));
  EXPECT_EQ(split("a,", ','), (Parts{"a", ""}));
  EXPECT_EQ(split("a", ','), (Parts{"a"}));
  EXPECT_EQ(split("", ','), Parts{});
}

TEST(TextFile, AnIntegerIsAllOfTheText) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "12K", " 12", "max", "9223372036854775808", "1.5"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

TEST(TextFile, AFieldIsFoundByItsWholeName) {
  constexpr std::string_view kText =
      "MemTotal:       24684092 kB\nMemAvailable:   24188744 kB\n"
      "model name\t: Intel(R) Xeon(R)\ninactive_file 4096\nempty:\n";
  EXPECT_EQ(field_of(kText, "MemAvailable"), "24188744 kB");
  EXPECT_EQ(field_of(kText, "model name"), "Intel(R) Xeon(R)");
  EXPECT_EQ(field_of(kText, "inactive_file"), "4096");
  EXPECT_EQ(field_of(kText, "empty"), "");
  EXPECT_EQ(field_of(kText, "Mem"), std::nullopt);
  EXPECT_EQ(field_of(kText, "Available"), std::nullopt);
}

}  // namespace
}  // namespace colonnade
