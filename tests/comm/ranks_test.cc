#include "colonnade/comm/ranks.h"

#include "tests/support/environment.h"
#include <gtest/gtest.h>

#include "colonnade/comm/collectives.h"

namespace colonnade {
namespace {

TEST(Ranks, AnyNumberAsThreadsOrAsProcesses) {
  for (const RanksAs as : {RanksAs::threads, RanksAs::processes}) {
    if (as == RanksAs::processes && test::threads_of_this_process() > 1) {
      GTEST_SKIP() << "a sanitizer has a thread here";
    }
    for (const int n : {1, 2, 5}) {
      const RankBody body = [](Group& group) {
        std::vector<int64_t> x = {int64_t{1} << group.rank()};
        all_reduce(group, x, "test");
      };
      const std::unique_ptr<Ranks> ranks = start_ranks(as, {.ranks = n, .crowded = true}, body);
      EXPECT_EQ(ranks->group().rank(), 0);
      EXPECT_EQ(ranks->group().size(), n);
      std::vector<int64_t> x = {1};
      all_reduce(ranks->group(), x, "test");
      EXPECT_EQ(x[0], (int64_t{1} << n) - 1);
    }
  }
}

TEST(Ranks, NoneIsRefused) {
  EXPECT_THROW(start_ranks(RanksAs::threads, {.ranks = 0}, [](Group&) {}), Error);
  EXPECT_THROW(start_ranks(RanksAs::processes, {.ranks = -1}, [](Group&) {}), Error);
}

}  // namespace
}  // namespace colonnade
