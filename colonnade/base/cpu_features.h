// Which instructions this process may use: what the CPU has, the operating system saves and the
// kernel permits.
#pragma once

#include <cstdint>

namespace colonnade {

struct CpuFeatures {
  bool avx2 = false;
  bool fma = false;
  bool f16c = false;
  bool avxvnni = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512dq = false;
  bool avx512vl = false;
  bool avx512vnni = false;
  bool avx512bf16 = false;
  bool amx_tile = false;
  bool amx_int8 = false;
  bool asimd = false;    // NEON of aarch64
  bool asimddp = false;  // its dot products
};

/// Raw words that the features are read from. Source: Intel SDM volume 2A, CPUID; volume 1,
/// section 13.3 for XCR0; Linux, Documentation/arm64/elf_hwcaps.rst.
struct CpuWords {
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0;
  uint32_t leaf7_ecx = 0;
  uint32_t leaf7_edx = 0;
  uint32_t leaf7_1_eax = 0;
  uint64_t xcr0 = 0;  // register states that the operating system saves; 0 without OSXSAVE
  bool tiles_permitted = false;  // the kernel granted this process AMX tile data
  uint64_t arm_hwcap = 0;        // AT_HWCAP on aarch64, 0 elsewhere
};

CpuFeatures decode_cpu_features(const CpuWords& words);

/// Asks the CPU, and the kernel for permission to use AMX tiles (granted to the whole process, also
/// to threads to come). On other architectures than x86-64 and aarch64 all are false.
CpuFeatures detect_cpu_features();

}  // namespace colonnade
