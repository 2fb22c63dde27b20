#include "colonnade/base/cpu_float_env.h"

#include <cfenv>
#include <cstdint>
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

// The control register of the processor: its modes that change results, and its trap enables.
#if defined(__x86_64__)
constexpr uint64_t kFlushing = 0x8040;  // flush-to-zero, denormals-are-zero
constexpr uint64_t kTraps = 0x1f80;     // masks: set is off
uint64_t read_control() { return __builtin_ia32_stmxcsr(); }
void write_control(uint64_t value) { __builtin_ia32_ldmxcsr(static_cast<unsigned>(value)); }
#elif defined(__aarch64__)
constexpr uint64_t kFlushing = 0x01000000;  // FZ
constexpr uint64_t kTraps = 0;              // most processors have none to enable
uint64_t read_control() {
  uint64_t value = 0;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void write_control(uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#endif

TEST(FloatEnvironment, KeepsDenormalsWhateverWasSetAndRestoresIt) {
  const uint64_t found = read_control();
  write_control(found | kFlushing);
  const float flushed = half_of_the_smallest_normal() + denormal_plus_itself();
  float half = 0;
  float sum = 0;
  {
    const FloatEnvironment guard;
    half = half_of_the_smallest_normal();
    sum = denormal_plus_itself();
  }
  const uint64_t after = read_control();
  write_control(found);
  EXPECT_EQ(flushed, 0.0F);
  EXPECT_EQ(half, std::numeric_limits<float>::min() / 2);
  EXPECT_EQ(sum, 2 * std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(after & kFlushing, kFlushing);
}

TEST(FloatEnvironment, TrapsNothingInside) {
  const uint64_t found = read_control();
  write_control(found & ~kTraps);  // every exception would end the process
  {
    const FloatEnvironment guard;
    third();
  }
  write_control(found);
}

}  // namespace
}  // namespace colonnade
