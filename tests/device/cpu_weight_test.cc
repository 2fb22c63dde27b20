#include "colonnade/device/cpu_weight.h"

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(CpuWeight, HoldsWholePanels) {
  WeightArena arena;
  const CpuWeight q4(
      WeightSpec{"w", WeightFormat::q4_0, 17, KPlan(WeightFormat::q4_0, 64), Tier::int8}, arena);
  EXPECT_EQ(q4.panels(), 2);
  EXPECT_EQ(q4.panel_bytes(), 2 * (256 + 32));  // two blocks of four code lines and 16 f16 scales
  EXPECT_EQ(q4.bytes(), 2 * 576);
  EXPECT_EQ(q4.unit(1) - q4.unit(0), 576);
}

TEST(CpuWeight, HoldsWholeStreamsOfFour16BitPanels) {
  WeightArena arena;
  const CpuWeight bf16(WeightSpec{"w", WeightFormat::bf16, 65,
                                  KPlan(WeightFormat::bf16, KCut{25, {0, 25}, 7}), Tier::f32},
                       arena);
  EXPECT_EQ(bf16.panels(), 5);
  EXPECT_EQ(bf16.panel_bytes(), (4 + 4 + 4 + 2) * 64);  // leaves of 7, 7, 7, 4
  EXPECT_EQ(bf16.bytes(), 8 * bf16.panel_bytes());
  EXPECT_EQ(bf16.unit(1) - bf16.unit(0), 4 * bf16.panel_bytes());
}

TEST(CpuWeight, ViewsFollowTheKPlan) {
  WeightArena arena;
  const CpuWeight q6(WeightSpec{"w", WeightFormat::q6_k, 16,
                                KPlan(WeightFormat::q6_k, KCut{1280, {80, 240}, 80}), Tier::int15},
                     arena);
  const kernels::KPlanView& plan = q6.plan_view();
  EXPECT_EQ(plan.k, 160);
  EXPECT_EQ(plan.leaves, 2);
  EXPECT_EQ(plan.blocks, static_cast<int>(q6.plan().runs().size()));
  EXPECT_EQ(plan.uniform, 0);
  EXPECT_EQ(plan.segments[plan.segment_count - 1].ends_leaf, 1);
  EXPECT_EQ(plan.runs[1].k_begin, q6.plan().runs()[1].k_begin);
}

TEST(CpuWeight, MayBeEmpty) {
  WeightArena arena;
  const CpuWeight none(
      WeightSpec{"w", WeightFormat::q4_k, 0, KPlan(WeightFormat::q4_k, 256), Tier::int8}, arena);
  EXPECT_EQ(none.panels(), 0);
  EXPECT_EQ(none.bytes(), 0);
}

}  // namespace
}  // namespace colonnade
