#include "colonnade/base/cpu_float_env.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace colonnade {
namespace {

#if defined(__x86_64__)
// MXCSR. Source: Intel SDM volume 1, section 10.2.3.
constexpr uint64_t kRounding = 0x6000;  // 0 is to nearest
constexpr uint64_t kFlush = 0x8040;     // flush-to-zero and denormals-are-zero
constexpr uint64_t kMasks = 0x1f80;     // exceptions masked

uint64_t read_control() { return _mm_getcsr(); }
void write_control(uint64_t value) { _mm_setcsr(static_cast<uint32_t>(value)); }
uint64_t required(uint64_t found) { return (found & ~(kRounding | kFlush)) | kMasks; }
#elif defined(__aarch64__)
// FPCR. Source: Arm Architecture Reference Manual, C5.2.8: rounding, trap enables, flushing,
// default NaN, the half precision that has no infinities.
constexpr uint64_t kModes = 0x07c89f07;

uint64_t read_control() {
  uint64_t value = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void write_control(uint64_t value) { __asm__ volatile("msr fpcr, %0" : : "r"(value)); }
uint64_t required(uint64_t found) { return found & ~kModes; }
#endif

}  // namespace

FloatEnvironment::FloatEnvironment() noexcept : saved_(read_control()) {
  write_control(required(saved_));
}

FloatEnvironment::~FloatEnvironment() { write_control(saved_); }

}  // namespace colonnade
