#include "colonnade/tensor/k_plan.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

std::vector<int> lengths(const KPlan& plan) {
  std::vector<int> result;
  for (const KRun& run : plan.runs()) result.push_back(run.length);
  return result;
}

std::vector<int> groups(const KPlan& plan) {
  std::vector<int> result;
  for (const KRun& run : plan.runs()) result.push_back(run.group);
  return result;
}

std::vector<int> segment_blocks(const KPlan& plan) {
  std::vector<int> result;
  for (const KSegment& segment : plan.segments()) {
    result.push_back(segment.ends_leaf ? -segment.blocks : segment.blocks);
  }
  return result;
}

using Ints = std::vector<int>;

TEST(LeafSize, IsWhatTheNumericsPageSays) {
  EXPECT_EQ(leaf_size(1536, 32), 32);
  EXPECT_EQ(leaf_size(4864, 32), 128);
  EXPECT_EQ(leaf_size(8192, 32), 256);
  EXPECT_EQ(leaf_size(11008, 32), 256);
  EXPECT_EQ(leaf_size(14336, 32), 256);
  EXPECT_EQ(leaf_size(28672, 32), 512);
  EXPECT_EQ(leaf_size(256, 1), 8);
}

TEST(LeafSize, IsTheGranuleWhenThereAreTooFew) {
  EXPECT_EQ(leaf_size(512, 32), 32);
  EXPECT_EQ(leaf_size(96, 32), 32);
  EXPECT_EQ(leaf_size(7, 1), 1);
}

TEST(LeafSize, KeepsTheCountWithin128) {
  EXPECT_EQ(leaf_size(65536, 32), 512);
  EXPECT_EQ(leaf_size(65537, 1), 1024);
  EXPECT_EQ(leaf_size(1 << 20, 32), 8192);
}

TEST(KPlan, AnOrdinaryProductHasLeavesOf512) {
  const KPlan plan(WeightFormat::q4_0, 1120);
  EXPECT_EQ(plan.leaf_ends(), (std::vector<int32_t>{512, 1024, 1120}));
  EXPECT_EQ(segment_blocks(plan), (Ints{-16, -16, -3}));
  EXPECT_EQ(plan.runs().size(), 35u);
  EXPECT_TRUE(plan.uniform());
}

TEST(KPlan, ADenseWeightHasLeavesAndNoRuns) {
  const KPlan plan(WeightFormat::bf16, 577);
  EXPECT_EQ(plan.leaf_ends(), (std::vector<int32_t>{512, 577}));
  EXPECT_TRUE(plan.runs().empty());
  EXPECT_TRUE(plan.segments().empty());
}

TEST(KPlan, SuperBlocksEndSegmentsAndLeavesCutThem) {
  const KPlan ordinary(WeightFormat::q4_k, 768);
  EXPECT_EQ(segment_blocks(ordinary), (Ints{8, -8, -8}));
  const KPlan sharded(WeightFormat::q4_k, KCut{1536, {0, 1536}, 32});
  EXPECT_EQ(segment_blocks(sharded), Ints(48, -1));
  const KPlan wide(WeightFormat::q6_k, KCut{1024, {0, 1024}, 1024});
  EXPECT_EQ(segment_blocks(wide), (Ints{8, 8, 8, -8}));
}

TEST(KPlan, ActivationGroupsStartAnewAtEveryLeaf) {
  // Heads of 80: activation groups 32 + 32 + 16 from each head's begin, weight groups of 32 from 0.
  const KPlan plan(WeightFormat::q8_0, KCut{160, {0, 160}, 80});
  EXPECT_EQ(lengths(plan), (Ints{32, 32, 16, 16, 16, 16, 16, 16}));
  EXPECT_EQ(groups(plan), (Ints{0, 1, 2, 3, 3, 4, 4, 5}));
  EXPECT_EQ(segment_blocks(plan), (Ints{-3, -5}));
  EXPECT_FALSE(plan.uniform());
}

TEST(KPlan, ASlicesRunsAreThoseOfTheWholeRow) {
  const KPlan whole(WeightFormat::q4_k, KCut{1280, {0, 1280}, 80});
  const KPlan slice(WeightFormat::q4_k, KCut{1280, {240, 480}, 80});
  EXPECT_EQ(slice.k(), 240);
  std::vector<int> expected;
  for (const KRun& run : whole.runs()) {
    if (run.k_begin >= 240 && run.k_begin < 480) expected.push_back(run.length);
  }
  EXPECT_EQ(lengths(slice), expected);
  EXPECT_EQ(slice.runs().front().k_begin, 0);
  EXPECT_EQ(slice.runs().front().group, 0);
  EXPECT_EQ(slice.leaf_ends(), (std::vector<int32_t>{80, 160, 240}));
}

TEST(KPlan, RunsCoverTheRowOnceForEveryLeaf) {
  for (WeightFormat format : {WeightFormat::q4_0, WeightFormat::q5_k, WeightFormat::q6_k}) {
    for (int64_t leaf : {1, 7, 16, 24, 32, 40, 64, 72, 80, 96, 128, 512}) {
      const KPlan plan(format, KCut{1536, {0, 1536}, leaf});
      int64_t k = 0;
      int64_t blocks = 0;
      for (const KRun& run : plan.runs()) {
        EXPECT_EQ(run.k_begin, k);
        EXPECT_GE(run.length, 1);
        k += run.length;
        // Within a weight group, an activation group and a leaf.
        const int64_t last = k - 1;
        EXPECT_EQ(run.k_begin / 32, last / 32);
        EXPECT_EQ(run.k_begin / leaf, last / leaf);
        EXPECT_EQ(run.k_begin % leaf / 32, last % leaf / 32);
      }
      for (const KSegment& segment : plan.segments()) blocks += segment.blocks;
      EXPECT_EQ(k, 1536);
      EXPECT_EQ(blocks, static_cast<int64_t>(plan.runs().size()));
    }
  }
}

TEST(KPlan, HalvesOfABlockAreSubGroupsOf16) {
  for (int64_t leaf : {24, 40, 72, 80}) {
    for (WeightFormat format :
         {WeightFormat::q2_k, WeightFormat::q3_k, WeightFormat::q6_k, WeightFormat::nvfp4}) {
      const KPlan plan(format, KCut{1536, {0, 1536}, leaf});
      for (const KRun& run : plan.runs()) {
        const int first_half = std::min(run.length, 16);
        EXPECT_EQ(run.k_begin / 16, (run.k_begin + first_half - 1) / 16);
        EXPECT_TRUE(run.length <= 16 || run.k_begin % 16 == 0);
      }
    }
  }
}

TEST(KPlan, GroupsOfAffineFormatsEndSegmentsAndRuns) {
  const WeightFormat wide = *affine_format({4, 128, ScaleType::f16});
  EXPECT_EQ(segment_blocks(KPlan(wide, 640)), (Ints{4, 4, 4, -4, -4}));
  // Heads of 80: groups of 128 end runs, multiples of 32 do not.
  const KPlan heads(wide, KCut{640, {0, 160}, 80});
  EXPECT_EQ(lengths(heads), (Ints{32, 32, 16, 32, 16, 16, 16}));
  EXPECT_EQ(groups(heads), (Ints{0, 1, 2, 3, 4, 4, 5}));
  EXPECT_EQ(segment_blocks(heads), (Ints{-3, 2, -2}));
  EXPECT_THROW(KPlan(wide, 576), Error);
}

TEST(KPlan, RefusesSlicesInsideALeafAndRowsInsideAGroup) {
  EXPECT_THROW(KPlan(WeightFormat::q4_0, KCut{1024, {0, 500}, 512}), Error);
  EXPECT_THROW(KPlan(WeightFormat::q4_0, KCut{1024, {16, 512}, 512}), Error);
  EXPECT_THROW(KPlan(WeightFormat::q4_k, 544), Error);
  EXPECT_THROW(KPlan(WeightFormat::q4_0, 33), Error);
  EXPECT_THROW(KPlan(WeightFormat::nvfp4, 40), Error);
  EXPECT_EQ(lengths(KPlan(WeightFormat::nvfp4, 48)), (Ints{32, 16}));
  EXPECT_NO_THROW(KPlan(WeightFormat::f32, 33));
}

TEST(KPlan, SameRunsAsksForTheCodesOnly) {
  EXPECT_TRUE(same_runs(KPlan(WeightFormat::q4_k, 1024), KPlan(WeightFormat::q6_k, 1024)));
  EXPECT_FALSE(same_runs(KPlan(WeightFormat::q4_0, 1024), KPlan(WeightFormat::q4_0, 512)));
  EXPECT_FALSE(same_runs(KPlan(WeightFormat::q4_0, KCut{960, {0, 960}, 80}),
                         KPlan(WeightFormat::q4_0, 960)));
}

}  // namespace
}  // namespace colonnade
