#include "colonnade/comm/board.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

TEST(Board, NothingOverlapsAndAllOfItIsInside) {
  for (const int members : {1, 2, 3, 7}) {
    const BoardLayout layout(members, 5000);
    EXPECT_EQ(layout.part_bytes(), 8192);
    std::vector<std::byte> memory(static_cast<size_t>(layout.bytes()) + 4096);
    auto* at = memory.data() + 4096 - reinterpret_cast<uintptr_t>(memory.data()) % 4096;
    const Board board(layout, at);
    board.clear_lines();
    board.clear_mailboxes();
    std::vector<std::pair<std::byte*, int64_t>> places;
    const auto bytes_of = [](auto& it) { return reinterpret_cast<std::byte*>(&it); };
    for (int m = 0; m < members; ++m) {
      places.emplace_back(bytes_of(board.line(m)), sizeof(MemberLine));
      places.emplace_back(bytes_of(board.talk(m)), sizeof(MemberTalk));
      for (int number = 1; number <= kSlots; ++number) {
        places.emplace_back(board.slot(m, number), layout.part_bytes());
      }
    }
    // Each is filled with its own number and none loses it.
    for (size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(places[i].first) % 128, 0u);
      ASSERT_GE(places[i].first, at);
      ASSERT_LE(places[i].first + places[i].second, at + layout.bytes());
      std::memset(places[i].first, static_cast<int>(i + 1), static_cast<size_t>(places[i].second));
    }
    for (size_t i = 0; i < places.size(); ++i) {
      EXPECT_EQ(places[i].first[0], static_cast<std::byte>(i + 1));
      EXPECT_EQ(places[i].first[places[i].second - 1], static_cast<std::byte>(i + 1));
    }
    for (int from = 0; from < members; ++from) {
      for (int to = 0; to < members; ++to) EXPECT_EQ(board.mailbox(from, to).filled(), 0);
    }
  }
}

TEST(Board, RefusesSizesThatNoMachineHas) {
  EXPECT_THROW(BoardLayout(0, 1), Error);
  EXPECT_THROW(BoardLayout(2, 0), Error);
  EXPECT_THROW(BoardLayout(2, INT64_MAX), Error);
  EXPECT_THROW(BoardLayout(1 << 20, int64_t{1} << 41), Error);
}

}  // namespace
}  // namespace colonnade
