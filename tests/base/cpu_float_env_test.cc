#include "colonnade/base/cpu_float_env.h"

#include <cfenv>
#include <limits>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

// volatile: the compiler must not compute these under its own modes.
float half_of_the_smallest_normal() {
  volatile float smallest = std::numeric_limits<float>::min();
  volatile float half = smallest * 0.5F;
  return half;
}

float denormal_plus_itself() {
  volatile float denormal = std::numeric_limits<float>::denorm_min();
  volatile float sum = denormal + denormal;
  return sum;
}

float third() {
  volatile float one = 1.0F;
  volatile float three = 3.0F;
  volatile float quotient = one / three;
  return quotient;
}

TEST(FloatEnvironment, RoundsToNearestWhateverWasSetAndRestoresIt) {
  const float nearest = third();
  ASSERT_EQ(std::fesetround(FE_DOWNWARD), 0);
  const float down = third();
  float inside = 0;
  {
    const FloatEnvironment guard;
    inside = third();
  }
  const float after = third();
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
  EXPECT_NE(down, nearest);
  EXPECT_EQ(inside, nearest);
  EXPECT_EQ(after, down);
}

#if defined(__x86_64__)
TEST(FloatEnvironment, KeepsDenormalsWhateverWasSetAndRestoresIt) {
  const unsigned found = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(found | 0x8040);  // flush-to-zero, denormals-are-zero
  const float flushed = half_of_the_smallest_normal() + denormal_plus_itself();
  float half = 0;
  float sum = 0;
  {
    const FloatEnvironment guard;
    half = half_of_the_smallest_normal();
    sum = denormal_plus_itself();
  }
  const unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(found);
  EXPECT_EQ(flushed, 0.0F);
  EXPECT_EQ(half, std::numeric_limits<float>::min() / 2);
  EXPECT_EQ(sum, 2 * std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(after & 0x8040, 0x8040u);
}

TEST(FloatEnvironment, TrapsNothingInside) {
  const unsigned found = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(found & ~0x1f80u);  // every exception would end the process
  {
    const FloatEnvironment guard;
    third();
  }
  __builtin_ia32_ldmxcsr(found);
}
#endif

}  // namespace
}  // namespace colonnade
