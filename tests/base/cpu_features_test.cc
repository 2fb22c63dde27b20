#include "colonnade/base/cpu_features.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

/// A processor that has everything, under an operating system that saves everything.
CpuWords everything() {
  CpuWords words;
  words.leaf1_ecx = words.leaf7_ebx = words.leaf7_ecx = words.leaf7_edx = words.leaf7_1_eax = ~0u;
  words.xcr0 = ~uint64_t{0};
  words.tiles_permitted = true;
  return words;
}

TEST(CpuFeatures, EveryFeatureHasItsOwnBit) {
  struct Case {
    uint32_t CpuWords::*word;
    int bit;
    bool CpuFeatures::*feature;
  };
  const Case cases[] = {
      {&CpuWords::leaf1_ecx, 12, &CpuFeatures::fma},
      {&CpuWords::leaf1_ecx, 29, &CpuFeatures::f16c},
      {&CpuWords::leaf7_ebx, 5, &CpuFeatures::avx2},
      {&CpuWords::leaf7_ebx, 17, &CpuFeatures::avx512dq},
      {&CpuWords::leaf7_ebx, 30, &CpuFeatures::avx512bw},
      {&CpuWords::leaf7_ebx, 31, &CpuFeatures::avx512vl},
      {&CpuWords::leaf7_ecx, 11, &CpuFeatures::avx512vnni},
      {&CpuWords::leaf7_1_eax, 4, &CpuFeatures::avxvnni},
      {&CpuWords::leaf7_1_eax, 5, &CpuFeatures::avx512bf16},
      {&CpuWords::leaf7_edx, 25, &CpuFeatures::amx_int8},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(decode_cpu_features(everything()).*c.feature) << c.bit;
    CpuWords words = everything();
    words.*c.word &= ~(1u << c.bit);
    EXPECT_FALSE(decode_cpu_features(words).*c.feature) << c.bit;
    EXPECT_TRUE(decode_cpu_features(words).avx512f);
  }
}

TEST(CpuFeatures, WhatTheSystemDoesNotSaveIsNotThere) {
  CpuWords words = everything();
  words.xcr0 = 0x7;  // AVX only
  EXPECT_TRUE(decode_cpu_features(words).avx2);
  EXPECT_FALSE(decode_cpu_features(words).avx512f);
  EXPECT_FALSE(decode_cpu_features(words).avx512vnni);
  EXPECT_FALSE(decode_cpu_features(words).amx_tile);
  words.xcr0 = 0xe7;  // and AVX-512
  EXPECT_TRUE(decode_cpu_features(words).avx512vnni);
  EXPECT_FALSE(decode_cpu_features(words).amx_tile);
  words.xcr0 = 0x3;
  EXPECT_FALSE(decode_cpu_features(words).avx2);
  EXPECT_FALSE(decode_cpu_features(words).fma);
}

TEST(CpuFeatures, TilesNeedTheKernelsPermission) {
  CpuWords words = everything();
  words.tiles_permitted = false;
  EXPECT_FALSE(decode_cpu_features(words).amx_tile);
  EXPECT_FALSE(decode_cpu_features(words).amx_int8);
  EXPECT_TRUE(decode_cpu_features(words).avx512f);
}

TEST(CpuFeatures, ArmsAreTheBitsOfItsCapabilities) {
  CpuWords words;
  EXPECT_FALSE(decode_cpu_features(words).asimd);
  words.arm_hwcap = uint64_t{1} << 1;
  EXPECT_TRUE(decode_cpu_features(words).asimd);
  EXPECT_FALSE(decode_cpu_features(words).asimddp);
  words.arm_hwcap |= uint64_t{1} << 20;
  EXPECT_TRUE(decode_cpu_features(words).asimddp);
  words.arm_hwcap = uint64_t{1} << 20;
  EXPECT_FALSE(decode_cpu_features(words).asimddp);
}

/// The line of /proc/cpuinfo that begins with `name`, with a space behind it; empty without one.
std::string cpuinfo_line(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(name, 0) == 0) return line + " ";
  }
  return "";
}

TEST(CpuFeatures, AgreeWithWhatTheKernelLists) {
  const CpuFeatures found = detect_cpu_features();
  // Which of the two a kernel prints depends on its processor. An emulator may show the host's.
  const std::string flags = cpuinfo_line(found.asimd ? "Features" : "flags");
  if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const auto listed = [&](const char* name) {
    return flags.find(" " + std::string(name) + " ") != std::string::npos;
  };
  EXPECT_EQ(found.asimd, listed("asimd"));
  EXPECT_EQ(found.asimddp, listed("asimddp"));
  EXPECT_EQ(found.avx2, listed("avx2"));
  EXPECT_EQ(found.fma, listed("fma"));
  EXPECT_EQ(found.f16c, listed("f16c"));
  EXPECT_EQ(found.avxvnni, listed("avx_vnni"));
  EXPECT_EQ(found.avx512f, listed("avx512f"));
  EXPECT_EQ(found.avx512bw, listed("avx512bw"));
  EXPECT_EQ(found.avx512vnni, listed("avx512_vnni"));
  EXPECT_EQ(found.avx512bf16, listed("avx512_bf16"));
  EXPECT_LE(found.amx_int8, listed("amx_int8"));  // listed does not mean permitted
}

}  // namespace
}  // namespace colonnade
