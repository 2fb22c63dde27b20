#include "colonnade/base/cgroup.h"

#include "tests/base/fake_root.h"
#include <gtest/gtest.h>

namespace colonnade {
namespace {

using Folders = std::vector<std::string>;

constexpr const char* kMountsV1 =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";
constexpr const char* kMountV2 =
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 master:2 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(Cgroup, Version2FoldersLeadFromTheProcessToTheMount) {
  EXPECT_EQ(cgroup_folders(kMountV2, "0::/user.slice/job.scope\n", "cpu"),
            (Folders{"/sys/fs/cgroup/user.slice/job.scope", "/sys/fs/cgroup/user.slice",
                     "/sys/fs/cgroup"}));
  EXPECT_EQ(cgroup_folders(kMountV2, "0::/\n", "memory"), (Folders{"/sys/fs/cgroup"}));
}

TEST(Cgroup, Version1FoldersAreThoseOfTheControllersHierarchy) {
  const char* groups = "4:memory:/a\n2:cpu,cpuacct:/b/c\n1:cpuset:/d\n0::/e\n";
  EXPECT_EQ(cgroup_folders(kMountsV1, groups, "cpu"),
            (Folders{"/sys/fs/cgroup/cpu,cpuacct/b/c", "/sys/fs/cgroup/cpu,cpuacct/b",
                     "/sys/fs/cgroup/cpu,cpuacct"}));
  EXPECT_EQ(cgroup_folders(kMountsV1, groups, "memory"),
            (Folders{"/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory"}));
  EXPECT_EQ(cgroup_folders(kMountsV1, groups, "cpuset"), Folders{});
}

TEST(Cgroup, AContainersMountShowsOnlyItsOwnPartOfTheHierarchy) {
  const char* mount = "9 8 0:32 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
  EXPECT_EQ(cgroup_folders(mount, "4:memory:/docker/ab/x\n", "memory"),
            (Folders{"/sys/fs/cgroup/memory/x", "/sys/fs/cgroup/memory"}));
  EXPECT_EQ(cgroup_folders(mount, "4:memory:/docker/ab\n", "memory"),
            (Folders{"/sys/fs/cgroup/memory"}));
}

TEST(Cgroup, GarbageGivesNoFolders) {
  EXPECT_EQ(cgroup_folders("", "", "cpu"), Folders{});
  EXPECT_EQ(cgroup_folders("1 2 - cgroup2\n\n- - -\n", "0\n:\n", "cpu"), Folders{});
}

TEST(Cgroup, CpuMaxIsQuotaOverPeriod) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("0 100000"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("150000 0"), std::nullopt);
  EXPECT_EQ(parse_cpu_max(""), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("400000\n", "100000\n"), 4.0);
  EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n"), std::nullopt);
}

TEST(Cgroup, MemoryLimitsThatNoMachineHasAreNone) {
  EXPECT_EQ(parse_memory_limit("1073741824\n"), 1073741824);
  EXPECT_EQ(parse_memory_limit("max\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("9223372036854771712\n"), std::nullopt);
  EXPECT_EQ(parse_memory_limit("-1"), std::nullopt);
}

TEST(Cgroup, TheTightestGroupOnTheWayUpLimits) {
  const FakeRoot root;
  root.write("/proc/self/mountinfo", kMountV2);
  root.write("/proc/self/cgroup", "0::/outer/inner\n");
  root.write("/sys/fs/cgroup/outer/cpu.max", "200000 100000\n");
  root.write("/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  root.write("/sys/fs/cgroup/outer/memory.max", "1000000\n");
  root.write("/sys/fs/cgroup/outer/memory.current", "700000\n");
  root.write("/sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 100000\n");
  root.write("/sys/fs/cgroup/outer/inner/memory.max", "2000000\n");
  root.write("/sys/fs/cgroup/outer/inner/memory.current", "1900000\n");
  const CgroupLimits limits = read_cgroup_limits(root.path());
  EXPECT_EQ(limits.cpus, 2.0);
  EXPECT_EQ(limits.memory_bytes, 1000000);
  EXPECT_EQ(limits.memory_left_bytes, 100000);  // inner: 2000000 - 1900000; outer: 400000
}

TEST(Cgroup, Version1LimitsAreRead) {
  const FakeRoot root;
  root.write("/proc/self/mountinfo", kMountsV1);
  root.write("/proc/self/cgroup", "4:memory:/a\n2:cpu,cpuacct:/b\n");
  root.write("/sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_quota_us", "50000\n");
  root.write("/sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_period_us", "100000\n");
  root.write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n");
  root.write("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4000\n");
  root.write("/sys/fs/cgroup/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n");
  root.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const CgroupLimits limits = read_cgroup_limits(root.path());
  EXPECT_EQ(limits.cpus, 0.5);
  EXPECT_EQ(limits.memory_bytes, 5000);
  EXPECT_EQ(limits.memory_left_bytes, 1500);
}

TEST(Cgroup, WithoutFilesNothingIsLimited) {
  const FakeRoot root;
  const CgroupLimits limits = read_cgroup_limits(root.path());
  EXPECT_EQ(limits.cpus, std::nullopt);
  EXPECT_EQ(limits.memory_bytes, std::nullopt);
  EXPECT_EQ(limits.memory_left_bytes, std::nullopt);
}

}  // namespace
}  // namespace colonnade
