#include "colonnade/nn/attention.h"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

AttentionDims heads(int heads, int kv_heads) {
  AttentionDims dims;
  dims.heads = heads;
  dims.kv_heads = kv_heads;
  return dims;
}

TEST(HeadShare, KvHeadsFollowTheQueryHeadsThatUseThem) {
  const HeadShare first(Cut{0, 2, {}}, heads(9, 3));
  const HeadShare second(Cut{1, 2, {}}, heads(9, 3));
  EXPECT_EQ(first.heads, (Range{0, 5}));
  EXPECT_EQ(first.kv_heads, (Range{0, 2}));
  EXPECT_EQ(second.heads, (Range{5, 9}));
  EXPECT_EQ(second.kv_heads, (Range{1, 3}));
}

TEST(HeadShare, EveryRankCountCoversAllHeadsOnceAndEveryGroupItNeeds) {
  for (const auto& [h, kv] : {std::pair{9, 3}, {14, 2}, {52, 52}, {8, 1}}) {
    for (int ranks = 1; ranks <= h + 2; ++ranks) {
      int64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const HeadShare share(Cut{rank, ranks, {}}, heads(h, kv));
        EXPECT_EQ(share.heads.begin, next);
        next = share.heads.end;
        EXPECT_EQ(share.kv_heads.empty(), share.heads.empty());
        for (int64_t head = share.heads.begin; head < share.heads.end; ++head) {
          EXPECT_TRUE(share.kv_heads.contains(head / (h / kv)));
        }
      }
      EXPECT_EQ(next, h);
    }
  }
}

TEST(HeadShare, SharesOfAnySizeGiveEachQueryHeadToOneRankWithItsKvHead) {
  EXPECT_TRUE(rc::check([] {
    const int kv = *rc::gen::inRange(1, 20);
    const int group = *rc::gen::inRange(1, 12);
    std::vector<double> shares;
    for (const int share :
         *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 1000))))
      shares.push_back(share);
    const int ranks = static_cast<int>(shares.size());
    int64_t next = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const HeadShare share(Cut{rank, ranks, shares}, heads(kv * group, kv));
      RC_ASSERT(share.heads.begin == next);
      RC_ASSERT(share.kv_heads.empty() == share.heads.empty());
      next = share.heads.end;
      if (share.heads.empty()) continue;
      RC_ASSERT(share.kv_heads == (Range{share.heads.begin / group, (next - 1) / group + 1}));
    }
    RC_ASSERT(next == kv * group);
  }));
}

TEST(HeadShare, HeadsThatKvHeadsDoNotDivideAreAnError) {
  EXPECT_THROW(HeadShare(Cut{}, heads(9, 2)), Error);
  EXPECT_THROW(HeadShare(Cut{}, heads(9, 0)), Error);
}

}  // namespace
}  // namespace colonnade
