#include "colonnade/device/devices.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

TEST(Devices, MakesACpuOfSoManyThreads) {
  const auto device = make_device({.isa = "scalar", .threads = 2});
  EXPECT_EQ(device->workers(), 2);
  EXPECT_EQ(device->description(), "cpu scalar, 2 threads");
  EXPECT_GE(make_device({})->workers(), 1);
}

TEST(Devices, TheEnvironmentChoosesTheInstructionSetWhenNobodyElseDoes) {
  setenv("COLONNADE_ISA", "scalar", 1);
  EXPECT_EQ(make_device({.threads = 1})->description(), "cpu scalar, 1 thread");
  setenv("COLONNADE_ISA", "pentium", 1);
  EXPECT_THROW(make_device({.threads = 1}), Error);
  EXPECT_EQ(make_device({.isa = "scalar", .threads = 1})->description(), "cpu scalar, 1 thread");
  unsetenv("COLONNADE_ISA");
}

TEST(Devices, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(make_device({.name = "abacus"}), Error);
  EXPECT_THROW(make_device({.threads = -1}), Error);
}

}  // namespace
}  // namespace colonnade
