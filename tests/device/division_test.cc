#include "colonnade/device/division.h"

#include <vector>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

TEST(Division, CostedPartsAreContiguousAndComplete) {
  const std::vector<CostedUnits> parts{{36, 5760}, {12, 5760}, {12, 9000}};
  for (int count : {1, 2, 3, 7, 64}) {
    for (int which = 0; which < 3; ++which) {
      int64_t next = 0;
      for (int w = 0; w < count; ++w) {
        const Range part = costed_part(parts, which, {w, count});
        EXPECT_EQ(part.begin, next);
        EXPECT_GE(part.end, part.begin);
        next = part.end;
      }
      EXPECT_EQ(next, parts[static_cast<size_t>(which)].units) << count << " " << which;
    }
  }
}

TEST(Division, CostedPartsAreWithinAUnitOfEqualCost) {
  const std::vector<CostedUnits> parts{{128, 450}, {32, 450}, {32, 656}};
  const double total = 128 * 450 + 32 * 450 + 32 * 656;
  for (int count : {2, 3, 7}) {
    for (int w = 0; w < count; ++w) {
      double cost = 0;
      for (int which = 0; which < 3; ++which) {
        cost += static_cast<double>(costed_part(parts, which, {w, count}).size() *
                                    parts[static_cast<size_t>(which)].cost);
      }
      EXPECT_NEAR(cost, total / count, 656) << w << " of " << count;
    }
  }
}

TEST(Division, AWorkerTakesWhatIsOneBehindTheOther) {
  const std::vector<CostedUnits> parts{{4, 10}, {4, 10}};
  EXPECT_EQ(costed_part(parts, 0, {0, 2}), (Range{0, 4}));
  EXPECT_EQ(costed_part(parts, 1, {0, 2}), (Range{0, 0}));
  EXPECT_EQ(costed_part(parts, 0, {1, 2}), (Range{4, 4}));
  EXPECT_EQ(costed_part(parts, 1, {1, 2}), (Range{0, 4}));
}

TEST(Division, PartsWithoutCostAreStillDone) {
  const std::vector<CostedUnits> parts{{3, 0}};
  EXPECT_EQ(costed_part(parts, 0, {0, 2}), (Range{0, 0}));
  EXPECT_EQ(costed_part(parts, 0, {1, 2}), (Range{0, 3}));
}

TEST(Division, UnitPartsEndAtUnitsOrAtTheEnd) {
  EXPECT_EQ(unit_part(100, 32, {0, 2}), (Range{0, 64}));
  EXPECT_EQ(unit_part(100, 32, {1, 2}), (Range{64, 100}));
  EXPECT_EQ(unit_part(100, 32, {4, 7}), (Range{100, 100}));
}

}  // namespace
}  // namespace colonnade
