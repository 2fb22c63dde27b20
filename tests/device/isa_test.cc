#include "colonnade/device/isa.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using kernels::Isa;

CpuFeatures with_avx512() {
  CpuFeatures cpu;
  cpu.avx2 = cpu.fma = cpu.f16c = true;
  cpu.avx512f = cpu.avx512bw = cpu.avx512dq = cpu.avx512vl = true;
  return cpu;
}

TEST(Isa, EveryInstructionSetNeedsAllThatItsObjectsWereCompiledFor) {
  EXPECT_TRUE(cpu_has(CpuFeatures{}, Isa::scalar));
  EXPECT_FALSE(cpu_has(CpuFeatures{}, Isa::avx2));
  CpuFeatures cpu = with_avx512();
  EXPECT_TRUE(cpu_has(cpu, Isa::avx2));
  EXPECT_TRUE(cpu_has(cpu, Isa::avx512));
  EXPECT_FALSE(cpu_has(cpu, Isa::avxvnni));
  EXPECT_FALSE(cpu_has(cpu, Isa::avx512vnni));
  cpu.f16c = false;
  EXPECT_FALSE(cpu_has(cpu, Isa::avx2));
  EXPECT_FALSE(cpu_has(cpu, Isa::avx512));
}

TEST(Isa, AmxNeedsTilesThatTheSystemPermits) {
  CpuFeatures cpu = with_avx512();
  cpu.avx512vnni = cpu.amx_int8 = true;
  EXPECT_FALSE(cpu_has(cpu, Isa::amx));
  cpu.amx_tile = true;
  EXPECT_TRUE(cpu_has(cpu, Isa::amx));
}

TEST(Isa, NeonsDotProductIsATableOfItsOwn) {
  CpuFeatures cpu;
  cpu.asimddp = true;
  EXPECT_FALSE(cpu_has(cpu, Isa::neondot));
  cpu = {};
  cpu.asimd = true;
  EXPECT_TRUE(cpu_has(cpu, Isa::neon));
  EXPECT_FALSE(cpu_has(cpu, Isa::neondot));
  cpu.asimddp = true;
  EXPECT_TRUE(cpu_has(cpu, Isa::neondot));
  EXPECT_FALSE(cpu_has(cpu, Isa::avx2));
}

TEST(Isa, ScalarIsAlwaysUsableAndEveryUsableOneCanBeChosen) {
  const std::vector<Isa> usable = usable_isas();
  EXPECT_EQ(usable.front(), Isa::scalar);
  for (Isa isa : usable) EXPECT_STREQ(choose_table(name_of(isa)).name, name_of(isa));
  EXPECT_STREQ(choose_table("").name, name_of(usable.back()));
}

TEST(Isa, AnUnknownNameIsAnErrorThatListsTheUsableOnes) {
  try {
    choose_table("sse9");
    FAIL() << "no exception";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("(scalar"), std::string::npos) << message;
    EXPECT_NE(message.find("\"sse9\""), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace colonnade
