#include "colonnade/base/cpu_affinity.h"

#include <thread>

#include <gtest/gtest.h>

#include "colonnade/base/cpu_topology.h"

namespace colonnade {
namespace {

TEST(CpuAffinity, RestrictsTheThreadAndThoseThatItStartsAndGivesItsCpusBack) {
  const std::vector<int> before = read_cpu_topology().allowed;
  {
    const CpuAffinity one({before.front()});
    EXPECT_EQ(one.former(), before);
    EXPECT_EQ(read_cpu_topology().allowed, std::vector<int>{before.front()});
    std::vector<int> inherited;
    std::thread([&] { inherited = read_cpu_topology().allowed; }).join();
    EXPECT_EQ(inherited, std::vector<int>{before.front()});
  }
  EXPECT_EQ(read_cpu_topology().allowed, before);
}

TEST(CpuAffinity, NoCpusChangeNothing) {
  const std::vector<int> before = read_cpu_topology().allowed;
  const CpuAffinity none({});
  EXPECT_TRUE(none.former().empty());
  EXPECT_EQ(read_cpu_topology().allowed, before);
}

}  // namespace
}  // namespace colonnade
