#include "colonnade/text/token_table.h"

#include <gtest/gtest.h>

namespace colonnade::text {
namespace {

Pieces numbers(int count) {
  Vocabulary v;
  for (int i = 0; i < count; ++i) v.tokens.push_back(std::to_string(i / 2));  // each number twice
  return Pieces(v, Spelling::byte_level);
}

TEST(TokenTable, WhatIsInsertedIsFoundUnlessItsBytesWereThere) {
  constexpr int kCount = 2000;
  const Pieces pieces = numbers(kCount);
  TokenTable table(pieces);
  for (int32_t id = 0; id < kCount; ++id) {
    EXPECT_EQ(table.insert(id), id % 2 == 0 ? -1 : id - 1);
  }
  for (int32_t id = 0; id < kCount; ++id) EXPECT_EQ(table.find(pieces.bytes(id)), id / 2 * 2);
  for (const char* other : {"", "1000", "01", "x", "-1"}) EXPECT_EQ(table.find(other), -1) << other;
}

TEST(TokenTable, AnEmptyTableFindsNothing) {
  const Pieces pieces = numbers(2);
  EXPECT_EQ(TokenTable(pieces).find("0"), -1);
}

}  // namespace
}  // namespace colonnade::text
