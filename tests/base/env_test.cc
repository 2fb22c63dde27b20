#include "colonnade/base/env.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(Env, AVariableIsItsValueAndUnsetOrEmptyIsNothing) {
  constexpr const char* kName = "COLONNADE_ENV_TEST";
  ASSERT_EQ(setenv(kName, "a b", 1), 0);
  EXPECT_EQ(environment_variable(kName), "a b");
  ASSERT_EQ(setenv(kName, "", 1), 0);
  EXPECT_EQ(environment_variable(kName), std::nullopt);
  ASSERT_EQ(unsetenv(kName), 0);
  EXPECT_EQ(environment_variable(kName), std::nullopt);
}

}  // namespace
}  // namespace colonnade
