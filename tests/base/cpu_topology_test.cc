#include "colonnade/base/cpu_topology.h"

#include "tests/base/fake_root.h"
#include <gtest/gtest.h>
#include <sched.h>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

using Cpus = std::vector<int>;

TEST(CpuTopology, CpuListsAreNumbersAndRanges) {
  EXPECT_EQ(parse_cpu_list("0-3,8\n"), (Cpus{0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_cpu_list("5"), (Cpus{5}));
  EXPECT_EQ(parse_cpu_list("\n"), Cpus{});
  for (const char* text : {"a", "1-", "-1", "3-1", "1,,2", "0-99999999", "1 2"}) {
    EXPECT_THROW(parse_cpu_list(text), Error) << text;
  }
}

TEST(CpuTopology, CacheSizesHaveUnits) {
  EXPECT_EQ(parse_cache_size("48K\n"), 48 * 1024);
  EXPECT_EQ(parse_cache_size("32M"), 32 * 1024 * 1024);
  EXPECT_EQ(parse_cache_size("512"), 512);
  EXPECT_EQ(parse_cache_size(""), 0);
  EXPECT_EQ(parse_cache_size("K"), 0);
  EXPECT_EQ(parse_cache_size("-1K"), 0);
}

TEST(CpuTopology, SiblingsOfOneCoreCountOnce) {
  const std::vector<Cpus> pairs = {{0, 4}, {1, 5}, {0, 4}, {1, 5}};
  EXPECT_EQ(physical_cores({0, 1, 4, 5}, pairs), (Cpus{0, 1}));
  // CPU 0 is not allowed: its sibling stands for the core.
  EXPECT_EQ(physical_cores({1, 4, 5}, {{1, 5}, {0, 4}, {1, 5}}), (Cpus{1, 4}));
  EXPECT_EQ(physical_cores({}, {}), Cpus{});
}

TEST(CpuTopology, ThreadsAreCoresWithinTheQuota) {
  CpuTopology topology;
  topology.cores = {0, 1, 2, 3};
  EXPECT_EQ(default_thread_count(topology), 4);
  for (const auto& [quota, threads] :
       {std::pair{2.0, 2}, {2.9, 2}, {0.5, 1}, {64.0, 4}, {1e300, 4}}) {
    topology.quota = quota;
    EXPECT_EQ(default_thread_count(topology), threads) << quota;
  }
}

TEST(CpuTopology, OfThisMachineIsConsistentWithTheAffinityMask) {
  const CpuTopology topology = read_cpu_topology();
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
  EXPECT_EQ(static_cast<int>(topology.allowed.size()), CPU_COUNT(&mask));
  EXPECT_FALSE(topology.cores.empty());
  EXPECT_LE(topology.cores.size(), topology.allowed.size());
  EXPECT_GE(default_thread_count(topology), 1);
}

TEST(CpuTopology, NarrowedAffinityNarrowsTheCores) {
  cpu_set_t found;
  ASSERT_EQ(sched_getaffinity(0, sizeof(found), &found), 0);
  const int last = read_cpu_topology().allowed.back();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  const CpuTopology topology = read_cpu_topology();
  ASSERT_EQ(sched_setaffinity(0, sizeof(found), &found), 0);
  EXPECT_EQ(topology.allowed, Cpus{last});
  EXPECT_EQ(topology.cores, Cpus{last});
  EXPECT_EQ(default_thread_count(topology), 1);
}

TEST(CpuTopology, IsReadFromTheFilesOfTheSystem) {
  const FakeRoot root;
  const int cpu = read_cpu_topology().allowed.front();
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
  root.write("/proc/cpuinfo", "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Made Up 9000\n");
  root.write(folder + "/topology/core_cpus_list", "0-4095\n");
  const auto cache = [&](const std::string& index, const std::string& level,
                         const std::string& type, const std::string& size) {
    root.write(folder + "/cache/" + index + "/level", level + "\n");
    root.write(folder + "/cache/" + index + "/type", type + "\n");
    root.write(folder + "/cache/" + index + "/size", size + "\n");
  };
  cache("index0", "1", "Data", "48K");
  cache("index1", "1", "Instruction", "32K");
  cache("index2", "2", "Unified", "2048K");
  cache("index3", "3", "Unified", "266240K");
  const CpuTopology topology = read_cpu_topology(root.path());
  EXPECT_EQ(topology.model, "Made Up 9000");
  EXPECT_EQ(topology.cores, Cpus{cpu});  // every CPU is its sibling
  EXPECT_EQ(topology.quota, std::nullopt);
  EXPECT_EQ(topology.caches.l1, 48 * 1024);
  EXPECT_EQ(topology.caches.l2, 2048 * 1024);
  EXPECT_EQ(topology.caches.l3, 266240 * 1024);
}

TEST(CpuTopology, AnArmProcessorIsCalledByItsNumbers) {
  const FakeRoot root;
  root.write("/proc/cpuinfo",
             "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n");
  EXPECT_EQ(read_cpu_topology(root.path()).model, "Arm implementer 0x41, part 0xd0c");
  root.write("/proc/cpuinfo", "processor\t: 0\nCPU part\t: 0xd0c\n");
  EXPECT_EQ(read_cpu_topology(root.path()).model, "");
}

TEST(CpuTopology, MemoryIsTheSystemsOrTheCgroupsTheSmaller) {
  const FakeRoot root;
  root.write("/proc/meminfo", "MemTotal:  4096 kB\nMemAvailable:   2048 kB\n");
  EXPECT_EQ(read_memory_limits(root.path()).available_bytes, 2048 * 1024);
  EXPECT_EQ(read_memory_limits(root.path()).limit_bytes, std::nullopt);
  root.write("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  root.write("/proc/self/cgroup", "0::/\n");
  root.write("/sys/fs/cgroup/memory.max", "1000000\n");
  root.write("/sys/fs/cgroup/memory.current", "400000\n");
  EXPECT_EQ(read_memory_limits(root.path()).available_bytes, 600000);
  EXPECT_EQ(read_memory_limits(root.path()).limit_bytes, 1000000);
}

TEST(CpuTopology, ThisMachineHasMemory) {
  EXPECT_GT(read_memory_limits().available_bytes, 1 << 20);
}

}  // namespace
}  // namespace colonnade
