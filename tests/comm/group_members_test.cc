#include "colonnade/comm/group_members.h"

#include <gtest/gtest.h>

namespace colonnade {
namespace {

std::vector<int> ranks_of(const GroupMembers& members) {
  std::vector<int> ranks;
  for (int m = 0; m < members.size(); ++m) ranks.push_back(members.rank_of(m));
  return ranks;
}

TEST(GroupMembers, EverybodyIsInTheOrderOfRanks) {
  EXPECT_EQ(ranks_of(GroupMembers::everybody(3)), (std::vector<int>{0, 1, 2}));
}

TEST(GroupMembers, AColorsMembersAreOrderedByKeyThenByRank) {
  const GroupMembers all = GroupMembers::everybody(6);
  const std::vector<SplitWish> wishes = {{1, 5}, {0, 0}, {1, -3}, {1, 5}, {0, -1}, {-1, 0}};
  EXPECT_EQ(ranks_of(all.of_color(1, wishes)), (std::vector<int>{2, 0, 3}));
  EXPECT_EQ(ranks_of(all.of_color(0, wishes)), (std::vector<int>{4, 1}));
  EXPECT_EQ(all.of_color(9, wishes).size(), 0);
}

TEST(GroupMembers, ASplitOfASplitNamesRanksOfAll) {
  const GroupMembers part({5, 2, 7});
  const GroupMembers two = part.of_color(0, {{0, 2}, {1, 0}, {0, 1}});
  EXPECT_EQ(ranks_of(two), (std::vector<int>{7, 5}));
  EXPECT_EQ(two.member_of(5), 1);
  EXPECT_EQ(two.member_of(2), -1);
}

}  // namespace
}  // namespace colonnade
