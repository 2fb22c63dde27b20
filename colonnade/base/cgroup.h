// Control groups, versions 1 and 2: where this process's folders are and what they limit.
// Source: Linux, Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/, proc_pid_cgroup(5),
// proc_pid_mountinfo(5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colonnade {

struct CgroupLimits {
  std::optional<double> cpus;                // nothing: unlimited
  std::optional<int64_t> memory_bytes;       // nothing: unlimited
  std::optional<int64_t> memory_left_bytes;  // of the tightest group: limit - use, files that can
                                             // be dropped not counted
};

/// The tightest limits of this process's groups and of those above them. Files are looked for below
/// `root`.
CgroupLimits read_cgroup_limits(std::string_view root = "");

/// The folders that hold a controller's files for this process, innermost first: version 1
/// hierarchies that have `controller`, then version 2. `mounts` is /proc/self/mountinfo, `groups`
/// is /proc/self/cgroup.
std::vector<std::string> cgroup_folders(std::string_view mounts, std::string_view groups,
                                        std::string_view controller);

/// cpu.max of version 2 ("150000 100000" -> 1.5, "max 100000" -> nothing).
std::optional<double> parse_cpu_max(std::string_view text);
/// cpu.cfs_quota_us and cpu.cfs_period_us of version 1 (-1: nothing).
std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period);
/// memory.max, memory.limit_in_bytes. "max" and what no machine has (2^60 and above) are nothing.
std::optional<int64_t> parse_memory_limit(std::string_view text);

}  // namespace colonnade
