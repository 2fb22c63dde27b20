#include "colonnade/comm/shared_segment.h"

#include <cstring>
#include <string>
#include <vector>

#include "tests/support/forked_ranks.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "colonnade/base/error.h"
#include "colonnade/base/text_file.h"

namespace colonnade {
namespace {

using testing::HasSubstr;

TEST(SharedSegment, WhatAForkedProcessWritesTheOthersRead) {
  const SharedSegment segment(2, 1000);
  const int child = fork();
  if (child == 0) {
    std::strcpy(reinterpret_cast<char*>(segment.board().slot(1, 1)), "here");
    segment.board().line(1).published.store(1);
    segment.end(1, RankState::failed, "no disk");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(segment.board().line(1).published.load(), 1);
  EXPECT_STREQ(reinterpret_cast<char*>(segment.board().slot(1, 1)), "here");
  ASSERT_TRUE(segment.loss());
  EXPECT_EQ(segment.loss()->words, "failed: no disk");
}

TEST(SharedSegment, OnlyTheFirstLossCounts) {
  const SharedSegment segment(3, 1);
  EXPECT_FALSE(segment.loss());
  segment.give_up(2, "is stopped");
  segment.give_up(1, "has ended");
  segment.end(0, RankState::failed, "late");
  EXPECT_EQ(segment.loss()->rank, 2);
  EXPECT_EQ(segment.loss()->words, "is stopped");
}

TEST(SharedSegment, ARankThatLeavesIsAnEndingButNoLoss) {
  const SharedSegment segment(2, 1);
  segment.end(1, RankState::left, "");
  EXPECT_EQ(segment.endings().load(), 1);
  EXPECT_FALSE(segment.loss());
}

TEST(SharedSegment, LongLastWordsAreCut) {
  const SharedSegment segment(1, 1);
  segment.end(0, RankState::failed, std::string(5000, 'x'));
  EXPECT_EQ(segment.loss()->words, "failed: " + std::string(RankLife::kWords - 1, 'x'));
}

TEST(SharedSegment, BoardsThatWereReleasedAreUsedAgain) {
  const SharedSegment segment(4, 4096);
  const int first = segment.add_board(3);
  const int second = segment.add_board(2);
  ASSERT_GT(first, 0);
  ASSERT_GT(second, first);
  segment.board(first, 3).line(1).published.store(7);
  segment.board(first, 3).mailbox(2, 1).put(std::vector<std::byte>(5));
  for (int user = 0; user < 2; ++user) segment.release_board(first);
  EXPECT_GT(segment.add_board(2), second) << "one member still reads it";
  segment.release_board(first);
  EXPECT_EQ(segment.add_board(3), first);
  EXPECT_EQ(segment.board(first, 3).line(1).published.load(), 0);
  EXPECT_EQ(segment.board(first, 3).mailbox(2, 1).filled(), 0);
}

TEST(SharedSegment, SaysWhenThereIsNoRoomForAnotherBoard) {
  const SharedSegment segment(4, 4096);
  int boards = 0;
  while (segment.add_board(4) >= 0) ++boards;
  EXPECT_GE(boards, 15);
  EXPECT_EQ(segment.add_board(4), -1);
}

/// Of address space, that this process has now: sanitizers take a lot.
int64_t bytes_mapped() {
  const std::string pages = read_text("/proc/self/statm").value_or("0");
  return std::stoll(pages) * sysconf(_SC_PAGESIZE);
}

TEST(SharedSegment, LittleAddressSpaceMeansLittleRoomForBoards) {
  constexpr int64_t kPart = int64_t{64} << 20;  // 384 MiB for both ranks
  const int child = fork();
  if (child == 0) {
    const auto most = static_cast<rlim_t>(bytes_mapped() + 10 * kPart);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
    int code = 1;
    const std::string thrown = test::thrown_by([&] {
      const SharedSegment segment(2, kPart);
      code = segment.add_board(2) == -1 ? 0 : 2;
    });
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(SharedSegment, ASizeThatTheSystemRefusesIsNamed) {
  try {
    const SharedSegment segment(2, int64_t{1} << 45);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("bytes of address space for 2 ranks"));
  }
}

}  // namespace
}  // namespace colonnade
