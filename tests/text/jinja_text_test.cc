#include "tests/text/jinja_testing.h"
#include <gtest/gtest.h>

namespace colonnade::text::jinja {
namespace {

TEST(JinjaText, NeighboursWithOneAuthorAreOneSpan) {
  Text text("ab", true);
  text.append("cd", true);
  text.append("ef", false);
  EXPECT_EQ(text.spans(), (std::vector<TextSpan>{{"abcd", true}, {"ef", false}}));
}

TEST(JinjaText, SlicesKeepTheMarkOfEveryByte) {
  Text text("ab", true);
  text.append("cd", false);
  text.append("ef", true);
  EXPECT_EQ(text.slice(1, 5).spans(),
            (std::vector<TextSpan>{{"b", true}, {"cd", false}, {"e", true}}));
  EXPECT_TRUE(text.slice(2, 2).spans().empty());
}

TEST(JinjaText, ARangeIsTrustedOnlyIfAllOfItIs) {
  Text text("ab", true);
  text.append("c", false);
  text.append("d", true);
  EXPECT_TRUE(text.trusted(0, 2));
  EXPECT_FALSE(text.trusted(1, 4));
  EXPECT_FALSE(text.trusted(2, 3));
  EXPECT_TRUE(text.trusted(3, 4));
  EXPECT_TRUE(text.trusted(2, 2));
  EXPECT_FALSE(text.trusted());
}

TEST(JinjaText, AppendingASliceJoinsItToARunOfTheSameAuthor) {
  Text source("x", false);
  source.append("yz", true);
  Text text("a", true);
  text.append(source, 1, 3);
  text.append("b", true);
  EXPECT_EQ(text.spans(), (std::vector<TextSpan>{{"ayzb", true}}));
}

}  // namespace
}  // namespace colonnade::text::jinja
