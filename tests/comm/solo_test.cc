#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/comm/group.h"

namespace colonnade {
namespace {

TEST(SoloGroup, IsTheIdentity) {
  SoloGroup group;
  EXPECT_EQ(group.rank(), 0);
  EXPECT_EQ(group.size(), 1);
  std::vector<int64_t> sums{1, -2, 3};
  group.all_reduce(std::span(sums));
  EXPECT_EQ(sums, (std::vector<int64_t>{1, -2, 3}));
  std::vector<uint32_t> bits{7};
  group.all_reduce(std::span(bits));
  EXPECT_EQ(bits, (std::vector<uint32_t>{7}));
  group.barrier();
}

TEST(SoloGroup, GathersItsOwnBytes) {
  SoloGroup group;
  const std::array<std::byte, 2> mine{std::byte{1}, std::byte{2}};
  std::array<std::byte, 2> all{};
  group.all_gather(mine, all);
  EXPECT_EQ(all, mine);
  std::array<std::byte, 3> wrong{};
  EXPECT_THROW(group.all_gather(mine, wrong), Error);
}

}  // namespace
}  // namespace colonnade
