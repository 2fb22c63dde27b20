#include "colonnade/base/quote.h"

#include <string>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(Quote, PlainTextStandsAsItIs) { EXPECT_EQ(quote("general.name"), "'general.name'"); }

TEST(Quote, BytesThatCouldHarmATerminalAreWrittenInHex) {
  EXPECT_EQ(quote(std::string("a\x1b[0m\n\0\xff", 8)), "'a\\x1b[0m\\x0a\\x00\\xff'");
  EXPECT_EQ(quote("it's a \\"), "'it\\'s a \\\\'");
}

TEST(Quote, LongTextIsCut) {
  EXPECT_EQ(quote(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
  EXPECT_EQ(quote(std::string(1000, 'x')), "'" + std::string(80, 'x') + "...'");
}

}  // namespace
}  // namespace colonnade
