#include "colonnade/base/error.h"

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(Error, CheckThrowsTheConcatenatedMessage) {
  try {
    CN_CHECK(1 == 2, "load: heads: expected ", 9, ", got ", "eight");
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "load: heads: expected 9, got eight");
  }
}

TEST(Error, CheckThatHoldsDoesNothing) { EXPECT_NO_THROW(CN_CHECK(2 == 2, "never")); }

TEST(ErrorDeathTest, AssertionEndsTheProcessAndNamesTheCondition) {
  EXPECT_DEATH(CN_ASSERT(1 > 2, "queue ", 3), "1 > 2: queue 3");
}

}  // namespace
}  // namespace colonnade
