#include "colonnade/base/philox.h"

#include <set>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

using Words = std::array<uint32_t, 4>;

// Source: the known-answer vectors that the paper's authors publish with Random123 (philox4x32, 10
// rounds).
TEST(Philox, GivesThePublishedAnswers) {
  static_assert(philox4x32({0, 0, 0, 0}, {0, 0}) ==
                Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, NeighbouringCountersShareNoOutput) {
  std::set<Words> seen;
  for (uint32_t i = 0; i < 1000; ++i) {
    seen.insert(philox4x32({i, 0, 0, 0}, {1, 2}));
    seen.insert(philox4x32({0, 0, 0, i + 1}, {1, 2}));
  }
  EXPECT_EQ(seen.size(), 2000u);
}

TEST(Philox, KeyHoldsBothHalvesOfTheSeed) {
  EXPECT_EQ(philox_key(0x0123456789abcdefULL), (std::array<uint32_t, 2>{0x89abcdef, 0x01234567}));
}

}  // namespace
}  // namespace colonnade
