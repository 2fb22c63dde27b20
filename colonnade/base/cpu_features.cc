#include "colonnade/base/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace colonnade {
namespace {

constexpr uint64_t kAvxState = 0x6;       // XCR0: SSE and AVX
constexpr uint64_t kAvx512State = 0xe0;   // opmask, upper halves, upper registers
constexpr uint64_t kTileState = 0x60000;  // tile configuration and data

bool has(uint64_t word, int bit) { return ((word >> bit) & 1) != 0; }
bool has_all(uint64_t word, uint64_t mask) { return (word & mask) == mask; }

#if defined(__x86_64__)
uint64_t read_xcr0() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

/// Source: Linux, Documentation/arch/x86/xstate.rst: ARCH_REQ_XCOMP_PERM of feature 18, tile data.
bool request_tiles() {
  constexpr long kRequestPermission = 0x1023;
  constexpr long kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

CpuWords read_cpu_words() {
  CpuWords words;
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return words;
  words.leaf1_ecx = ecx;
  if (has(ecx, 27)) words.xcr0 = read_xcr0();  // OSXSAVE: xgetbv exists
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return words;
  const uint32_t last_subleaf = eax;
  words.leaf7_ebx = ebx;
  words.leaf7_ecx = ecx;
  words.leaf7_edx = edx;
  if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) {
    words.leaf7_1_eax = eax;
  }
  if (has(words.leaf7_edx, 24) && has_all(words.xcr0, kTileState)) {
    words.tiles_permitted = request_tiles();
  }
  return words;
}
#elif defined(__aarch64__)
CpuWords read_cpu_words() {
  CpuWords words;
  words.arm_hwcap = getauxval(AT_HWCAP);
  return words;
}
#else
CpuWords read_cpu_words() { return {}; }
#endif

}  // namespace

CpuFeatures decode_cpu_features(const CpuWords& words) {
  const bool avx = has(words.leaf1_ecx, 28) && has_all(words.xcr0, kAvxState);
  const bool avx512 = avx && has_all(words.xcr0, kAvx512State) && has(words.leaf7_ebx, 16);
  const bool tiles =
      words.tiles_permitted && has_all(words.xcr0, kTileState) && has(words.leaf7_edx, 24);
  CpuFeatures features;
  features.avx2 = avx && has(words.leaf7_ebx, 5);
  features.fma = avx && has(words.leaf1_ecx, 12);
  features.f16c = avx && has(words.leaf1_ecx, 29);
  features.avxvnni = avx && has(words.leaf7_1_eax, 4);
  features.avx512f = avx512;
  features.avx512dq = avx512 && has(words.leaf7_ebx, 17);
  features.avx512bw = avx512 && has(words.leaf7_ebx, 30);
  features.avx512vl = avx512 && has(words.leaf7_ebx, 31);
  features.avx512vnni = avx512 && has(words.leaf7_ecx, 11);
  features.avx512bf16 = avx512 && has(words.leaf7_1_eax, 5);
  features.amx_tile = tiles;
  features.amx_int8 = tiles && has(words.leaf7_edx, 25);
  features.asimd = has(words.arm_hwcap, 1);
  features.asimddp = features.asimd && has(words.arm_hwcap, 20);
  return features;
}

CpuFeatures detect_cpu_features() { return decode_cpu_features(read_cpu_words()); }

}  // namespace colonnade
