#include "colonnade/api/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

TEST(MemoryPlan, TheCacheIsPagesOfTheWholeContext) {
  const KvLayout layout{.layers = 2, .kv_heads = 3, .head_dim = 16, .dtype = DType::f32};
  DecoderConfig config;
  const MemoryPlan plan = plan_memory(config, 1000, layout, 65, 512);
  EXPECT_EQ(plan.cache_bytes, 2 * (64 * 16 * 4 * 2) * 3 * 2);
  EXPECT_EQ(plan.weight_bytes, 1000);
  EXPECT_EQ(plan.total(), plan.weight_bytes + plan.cache_bytes + plan.scratch_bytes);
}

TEST(MemoryPlan, TooLittleMemoryShowsTheArithmetic) {
  const MemoryPlan plan{int64_t{3} << 30, int64_t{2} << 30, int64_t{1} << 30};
  EXPECT_NO_THROW(check_memory(plan, int64_t{6} << 30, 4096));
  try {
    check_memory(plan, int64_t{5} << 30, 4096);
    FAIL() << "6 GiB fit into 5";
  } catch (const Error& error) {
    EXPECT_THAT(
        error.what(),
        testing::HasSubstr("6.00 GiB = 3.00 GiB weights + 2.00 GiB KV cache of 4096 positions + "
                           "1.00 GiB scratch"));
    EXPECT_THAT(error.what(), testing::HasSubstr("5.00 GiB (available)"));
  }
}

}  // namespace
}  // namespace colonnade
