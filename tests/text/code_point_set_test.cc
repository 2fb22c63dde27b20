#include "colonnade/text/code_point_set.h"

#include <gtest/gtest.h>

namespace colonnade::text {
namespace {

using Edges = std::vector<char32_t>;

TEST(CodePointSet, UnionsJoinWhatTouchesOrOverlaps) {
  CodePointSet set(10, 19);
  set.add(CodePointSet(30, 39));
  EXPECT_EQ(set.edges(), (Edges{10, 20, 30, 40}));
  set.add(CodePointSet(20, 29));
  EXPECT_EQ(set.edges(), (Edges{10, 40}));
  set.add(CodePointSet(5, 12));
  EXPECT_EQ(set.edges(), (Edges{5, 40}));
  set.add(CodePointSet());
  set.add(CodePointSet(7, 8));
  EXPECT_EQ(set.edges(), (Edges{5, 40}));
}

TEST(CodePointSet, TheComplementOfTheComplementIsTheSet) {
  const CodePointSet sets[] = {{}, {0, 5}, {5, 9}, {9, kCodePoints - 1}, {0, kCodePoints - 1}};
  for (const CodePointSet& set : sets) {
    const CodePointSet complement = set.complement();
    EXPECT_EQ(complement.complement(), set);
    for (const char32_t c : {0u, 4u, 5u, 8u, 9u, 10u, 0x10FFFFu})
      EXPECT_NE(set.contains(c), complement.contains(c)) << static_cast<uint32_t>(c);
  }
}

TEST(CodePointSet, PropertiesAreCategoriesAndGroupsOfThem) {
  EXPECT_TRUE(property_set("Lu")->contains('A'));
  EXPECT_FALSE(property_set("Lu")->contains('a'));
  EXPECT_TRUE(property_set("L")->contains(0x4E2D));
  EXPECT_TRUE(property_set("s")->contains(0x3000));
  EXPECT_TRUE(property_set("w")->contains('_'));
  EXPECT_TRUE(property_set("M")->contains(0x301));
  for (const char* unknown : {"", "Q", "Luu", "Han", "l"}) {
    EXPECT_FALSE(property_set(unknown)) << unknown;
  }
}

TEST(CodePointSet, EveryNumberIsADigitToTheDigitsPreTokenizer) {
  CodePointSet both = *property_set("Digits");
  both.add(*property_set("N"));
  EXPECT_EQ(both, *property_set("Digits"));
}

TEST(CodePointSet, CaseIsIgnoredForAsciiLetters) {
  EXPECT_EQ(any_case('a').edges(), (Edges{'A', 'B', 'a', 'b'}));
  EXPECT_TRUE(any_case('S').contains(0x17F));
  EXPECT_TRUE(any_case('k').contains(0x212A));
  EXPECT_EQ(any_case('\'').edges(), (Edges{'\'', '('}));
  EXPECT_EQ(any_case('@').edges(), (Edges{'@', 'A'}));
}

}  // namespace
}  // namespace colonnade::text
