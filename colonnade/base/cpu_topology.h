// What of this machine the process may use: CPUs, physical cores, cgroup limits, memory, caches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colonnade {

/// Data caches that the first allowed CPU sees, in bytes; 0 where the system does not say.
struct CacheSizes {
  int64_t l1 = 0;
  int64_t l2 = 0;
  int64_t l3 = 0;
};

struct CpuTopology {
  std::string model;  // "AMD EPYC 9654 96-Core Processor", "Arm implementer 0x41, part 0xd0c"
  std::vector<int> allowed;     // CPUs of the affinity mask, ascending
  std::vector<int> cores;       // the lowest allowed CPU of each physical core, ascending
  std::optional<double> quota;  // CPUs' worth of time that the cgroups grant; nothing: unlimited
  CacheSizes caches;
};

struct MemoryLimits {
  int64_t available_bytes =
      0;  // what can be allocated now: the system's and the cgroup's, the smaller
  std::optional<int64_t> limit_bytes;  // the cgroups' limit; nothing: unlimited
};

/// Reads /proc and /sys below `root` and this process's affinity mask. What is missing there is
/// left out.
CpuTopology read_cpu_topology(std::string_view root = "");
MemoryLimits read_memory_limits(std::string_view root = "");

/// CPUs' worth of time that this process may use: the allowed ones, no more than the quota.
double available_cpus(const CpuTopology& topology);

/// Threads to use when nobody says: one per physical core that the process may use, no more than
/// the quota; at least 1.
int default_thread_count(const CpuTopology& topology);

/// "0-3,8" -> 0 1 2 3 8. Throws Error when it is no such list.
std::vector<int> parse_cpu_list(std::string_view text);
/// "48K", "2M" in bytes; 0 when it is no size.
int64_t parse_cache_size(std::string_view text);
/// The lowest of `allowed` in each set of siblings. siblings[i] lists the CPUs of the core that
/// allowed[i] belongs to.
std::vector<int> physical_cores(const std::vector<int>& allowed,
                                const std::vector<std::vector<int>>& siblings);

}  // namespace colonnade
