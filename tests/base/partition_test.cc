#include "colonnade/base/partition.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

std::vector<int64_t> sizes(const Partition& partition) {
  std::vector<int64_t> result;
  for (int r = 0; r < partition.ranks(); ++r) result.push_back(partition.of(r).size());
  return result;
}

using Sizes = std::vector<int64_t>;

TEST(Partition, FirstRanksGetTheBiggerPieces) {
  EXPECT_EQ(sizes({9, 1, 2}), (Sizes{5, 4}));
  EXPECT_EQ(sizes({10, 1, 3}), (Sizes{4, 3, 3}));
  EXPECT_EQ(sizes({30, 1, 4}), (Sizes{8, 8, 7, 7}));
  EXPECT_EQ(sizes({52, 1, 8}), (Sizes{7, 7, 7, 7, 6, 6, 6, 6}));
  EXPECT_EQ(sizes({14, 1, 14}), Sizes(14, 1));
}

TEST(Partition, WithFewerUnitsThanRanksTheLastRanksAreEmpty) {
  EXPECT_EQ(sizes({3, 1, 5}), (Sizes{1, 1, 1, 0, 0}));
  EXPECT_EQ(sizes({130, 64, 4}), (Sizes{64, 64, 2, 0}));
  EXPECT_EQ(sizes({0, 64, 2}), (Sizes{0, 0}));
  EXPECT_EQ(sizes({7, 64, 3}), (Sizes{7, 0, 0}));
}

TEST(Partition, SharesAreWeights) {
  EXPECT_EQ(sizes({48, 1, {3.0, 1.0}}), (Sizes{36, 12}));
  EXPECT_EQ(sizes({9, 1, {1.0, 3.0}}), (Sizes{2, 7}));
  EXPECT_EQ(sizes({1536, 32, {1.0, 1.0, 2.0}}), (Sizes{384, 384, 768}));
  EXPECT_EQ(sizes({1, 1, {1.0, 3.0}}), (Sizes{0, 1}));
  EXPECT_EQ(sizes({10, 1, 3, {}}), sizes({10, 1, 3}));
  EXPECT_EQ(sizes({8, 1, 2, {3.0, 1.0}}), (Sizes{6, 2}));
}

TEST(Partition, VocabulariesThatNoRankCountDividesAreCoveredExactly) {
  for (const int64_t vocabulary : {32001, 32008, 49159, 65535}) {
    for (const int ranks : {2, 3, 4, 7}) {
      const Partition partition(vocabulary, 256, ranks);
      EXPECT_EQ(partition.of(ranks - 1).end, vocabulary);
      EXPECT_EQ(partition.owner_of(vocabulary - 1), ranks - 1);
      EXPECT_EQ(partition.owner_of(0), 0);
      for (int r = 0; r + 1 < ranks; ++r) EXPECT_EQ(partition.of(r).end % 256, 0);
    }
  }
}

TEST(Partition, EveryLayerCountOverEveryStageCountDiffersByAtMostOne) {
  for (int layers = 1; layers <= 130; ++layers) {
    for (int stages = 1; stages <= layers + 2; ++stages) {
      const Partition partition(layers, 1, stages);
      int64_t next = 0;
      for (int r = 0; r < stages; ++r) {
        const Range range = partition.of(r);
        ASSERT_EQ(range.begin, next);
        ASSERT_TRUE(range.size() == layers / stages || range.size() == layers / stages + 1);
        next = range.end;
      }
      ASSERT_EQ(next, layers);
    }
  }
}

void check_is_contiguous_and_owned(const Partition& partition) {
  int64_t next = 0;
  for (int r = 0; r < partition.ranks(); ++r) {
    const Range range = partition.of(r);
    RC_ASSERT(range.begin == next);
    RC_ASSERT(range.end >= range.begin);
    RC_ASSERT(range.end % partition.unit() == 0 || range.end == partition.total());
    if (!range.empty()) {
      RC_ASSERT(partition.owner_of(range.begin) == r);
      RC_ASSERT(partition.owner_of(range.end - 1) == r);
    }
    next = range.end;
  }
  RC_ASSERT(next == partition.total());
}

TEST(Partition, EqualSharesDifferByAtMostOneUnitForAnyArguments) {
  EXPECT_TRUE(rc::check([] {
    const int64_t total = *rc::gen::inRange<int64_t>(0, 200000);
    const int64_t unit = *rc::gen::inRange<int64_t>(1, 600);
    const int ranks = *rc::gen::inRange(1, 140);
    const Partition partition(total, unit, ranks);
    check_is_contiguous_and_owned(partition);
    const Sizes all = sizes(partition);
    RC_ASSERT(*std::max_element(all.begin(), all.end()) -
                  *std::min_element(all.begin(), all.end()) <=
              unit);
    const int64_t units = (total + unit - 1) / unit;
    for (int r = 0; r < ranks; ++r) RC_ASSERT((all[r] == 0) == (r >= units));
  }));
}

std::vector<double> any_shares() {
  std::vector<double> shares;
  const auto weights =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 1000)));
  for (const int weight : weights) shares.push_back(weight / 7.0);
  return shares;
}

TEST(Partition, EverySizeIsWithinOneUnitOfItsShareForAnyArguments) {
  EXPECT_TRUE(rc::check([] {
    const int64_t total = *rc::gen::inRange<int64_t>(0, 200000);
    const int64_t unit = *rc::gen::inRange<int64_t>(1, 600);
    const std::vector<double> shares = any_shares();
    const Partition partition(total, unit, shares);
    check_is_contiguous_and_owned(partition);
    double sum = 0;
    for (const double share : shares) sum += share;
    for (int r = 0; r < partition.ranks(); ++r) {
      const double ideal = static_cast<double>(total) * shares[r] / sum;
      RC_ASSERT(std::abs(static_cast<double>(partition.of(r).size()) - ideal) <= unit * (1 + 1e-9));
    }
  }));
}

TEST(Partition, EveryIndexHasOneOwnerForAnyArguments) {
  EXPECT_TRUE(rc::check([] {
    const int64_t total = *rc::gen::inRange<int64_t>(1, 3000);
    const Partition partition(total, *rc::gen::inRange<int64_t>(1, 300), any_shares());
    for (int64_t index = 0; index < total; ++index) {
      int holders = 0;
      for (int r = 0; r < partition.ranks(); ++r)
        holders += partition.of(r).contains(index) ? 1 : 0;
      RC_ASSERT(holders == 1);
      RC_ASSERT(partition.of(partition.owner_of(index)).contains(index));
    }
  }));
}

TEST(Partition, OnlyTheRatiosOfSharesCount) {
  EXPECT_TRUE(rc::check([] {
    const int64_t total = *rc::gen::inRange<int64_t>(0, 200000);
    const int64_t unit = *rc::gen::inRange<int64_t>(1, 600);
    const std::vector<double> shares = any_shares();
    std::vector<double> scaled = shares;
    for (double& share : scaled) share *= 0x1p-40;  // exact, so that ties stay ties
    RC_ASSERT(sizes({total, unit, shares}) == sizes({total, unit, scaled}));
    const int ranks = static_cast<int>(shares.size());
    RC_ASSERT(sizes({total, unit, std::vector<double>(shares.size(), shares[0])}) ==
              sizes({total, unit, ranks}));
  }));
}

TEST(Partition, OfWholeUnitsABiggerShareNeverGetsFewer) {
  EXPECT_TRUE(rc::check([] {
    const int64_t unit = *rc::gen::inRange<int64_t>(1, 600);
    const std::vector<double> shares = any_shares();
    const Partition partition(unit * *rc::gen::inRange<int64_t>(0, 500), unit, shares);
    for (size_t a = 0; a < shares.size(); ++a) {
      for (size_t b = 0; b < shares.size(); ++b) {
        if (shares[a] <= shares[b]) continue;
        RC_ASSERT(partition.of(static_cast<int>(a)).size() >=
                  partition.of(static_cast<int>(b)).size());
      }
    }
  }));
}

TEST(Partition, TheShortUnitCountsWhereItWouldLeaveTheLastRankTwoUnitsShort) {
  EXPECT_EQ(sizes({6 * 256 + 1, 256, 4}), (Sizes{512, 512, 256, 257}));
  EXPECT_EQ(sizes({220, 100, {0.5, 0.4, 1.3}}), (Sizes{100, 0, 120}));
}

TEST(Partition, HugeTotalsStayExact) {
  const int64_t total = (int64_t{1} << 53) - 1;
  const Partition partition(total, 1, {1.0, 1.0, 1e-300, 1e300});
  EXPECT_EQ(partition.of(3).end, total);
  EXPECT_EQ(partition.of(3).size(), total);
  EXPECT_EQ(Partition(total, 1, 3).of(2).end, total);
  EXPECT_EQ(sizes({8, 1, {1.7e308, 1.7e308}}), (Sizes{4, 4}));
}

std::string message_of(int64_t total, int64_t unit, const std::vector<double>& shares, int ranks) {
  try {
    shares.empty() ? Partition(total, unit, ranks) : Partition(total, unit, ranks, shares);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Partition, BadArgumentsAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of(4, 1, {}, 0), "partition: ranks: expected at least 1, got 0");
  EXPECT_EQ(message_of(4, 1, {}, -2), "partition: ranks: expected at least 1, got -2");
  EXPECT_EQ(message_of(4, 0, {}, 2), "partition: unit: expected at least 1, got 0");
  EXPECT_EQ(message_of(-1, 1, {}, 2), "partition: total: expected 0 to 2^53 - 1, got -1");
  EXPECT_EQ(message_of(4, 1, {1.0, 0.0}, 2),
            "partition: share of rank 1: expected a finite number above 0, got 0");
  EXPECT_NE(message_of(4, 1, {-1.0, 1.0}, 2), "");
  EXPECT_NE(message_of(4, 1, {nan, 1.0}, 2), "");
  EXPECT_NE(message_of(4, 1, {infinity, 1.0}, 2), "");
  EXPECT_EQ(message_of(4, 1, {1.0, 1.0, 1.0}, 2),
            "partition: shares: expected one for each of 2 ranks, got 3");
}

TEST(Partition, RanksAndIndicesOutOfRangeAreErrors) {
  const Partition partition(10, 1, 2);
  EXPECT_THROW(partition.of(2), Error);
  EXPECT_THROW(partition.of(-1), Error);
  EXPECT_THROW(partition.owner_of(10), Error);
  EXPECT_THROW(partition.owner_of(-1), Error);
}

TEST(Partition, EvenPartIsTheEqualPartitionOfUnits) {
  for (int64_t units : {0, 1, 5, 16, 37, 1000}) {
    for (int parts : {1, 2, 3, 7, 64}) {
      const Partition partition(units, 1, parts);
      for (int part = 0; part < parts; ++part) {
        const Range expected = partition.of(part);
        EXPECT_EQ(even_part(units, parts, part), expected) << units << " " << parts << " " << part;
      }
    }
  }
}

}  // namespace
}  // namespace colonnade
