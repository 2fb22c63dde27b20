#include "colonnade/base/cpu_topology.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <sched.h>

#include "colonnade/base/cgroup.h"
#include "colonnade/base/error.h"
#include "colonnade/base/text_file.h"

namespace colonnade {
namespace {

constexpr int kLargestCpu = 1 << 20;  // far above what Linux numbers

struct CpuSetFree {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

/// The affinity mask, which may be longer than cpu_set_t's 1024 CPUs.
std::vector<int> allowed_cpus() {
  for (int count = 1024; count <= kLargestCpu; count *= 2) {
    const std::unique_ptr<cpu_set_t, CpuSetFree> set(CPU_ALLOC(static_cast<size_t>(count)));
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(count));
    if (sched_getaffinity(0, bytes, set.get()) != 0) {
      CN_CHECK(errno == EINVAL,
               "cpu topology: cannot read the affinity mask: ", std::strerror(errno));
      continue;  // the mask is longer
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < count; ++cpu) {
      if (CPU_ISSET_S(static_cast<size_t>(cpu), bytes, set.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  throw Error("cpu topology: cannot read the affinity mask: it is longer than 2^20 CPUs");
}

std::string cpu_folder(std::string_view root, int cpu) {
  return concat(root, "/sys/devices/system/cpu/cpu", cpu);
}

/// CPUs that share a core with `cpu`; itself alone where the system does not say.
std::vector<int> siblings_of(std::string_view root, int cpu) {
  const std::string folder = cpu_folder(root, cpu) + "/topology/";
  auto text = read_text(folder + "core_cpus_list");
  if (!text) text = read_text(folder + "thread_siblings_list");  // the name before Linux 5.3
  return text ? parse_cpu_list(*text) : std::vector<int>{cpu};
}

CacheSizes read_caches(std::string_view root, int cpu) {
  CacheSizes sizes;
  for (int index = 0;; ++index) {
    const std::string folder = cpu_folder(root, cpu) + concat("/cache/index", index);
    const auto level = read_text(folder + "/level");
    if (!level) return sizes;
    const auto type = read_text(folder + "/type");
    if (type && trim(*type) == "Instruction") continue;
    const int64_t size = parse_cache_size(read_text(folder + "/size").value_or(""));
    const int64_t number = parse_integer(trim(*level)).value_or(0);
    if (number == 1) sizes.l1 = size;
    if (number == 2) sizes.l2 = size;
    if (number == 3) sizes.l3 = size;
  }
}

/// What the system calls this processor; of an Arm one it tells the numbers of its designer and its
/// design. Source: Arm Architecture Reference Manual, MIDR_EL1.
std::string model_name(std::string_view info) {
  if (const auto name = field_of(info, "model name")) return std::string(*name);
  const auto implementer = field_of(info, "CPU implementer"), part = field_of(info, "CPU part");
  return implementer && part ? concat("Arm implementer ", *implementer, ", part ", *part) : "";
}

int parse_cpu(std::string_view text, std::string_view list) {
  const std::optional<int64_t> cpu = parse_integer(text);
  CN_CHECK(cpu && *cpu >= 0 && *cpu < kLargestCpu,
           "cpu list: expected numbers and ranges such as \"0-3,8\", got \"", list, "\"");
  return static_cast<int>(*cpu);
}

}  // namespace

std::vector<int> parse_cpu_list(std::string_view text) {
  const std::string_view list = trim(text);
  std::vector<int> cpus;
  for (const std::string_view part : split(list, ',')) {
    const size_t dash = part.find('-');
    const int first = parse_cpu(part.substr(0, dash), list);
    const int last =
        dash == std::string_view::npos ? first : parse_cpu(part.substr(dash + 1), list);
    CN_CHECK(first <= last, "cpu list: expected rising ranges, got \"", list, "\"");
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

int64_t parse_cache_size(std::string_view text) {
  text = trim(text);
  int64_t unit = 1;
  if (text.ends_with('K')) unit = 1024;
  if (text.ends_with('M')) unit = 1024 * 1024;
  if (unit > 1) text.remove_suffix(1);
  const int64_t number = parse_integer(text).value_or(0);
  return number < 0 || number > (int64_t{1} << 40) ? 0 : number * unit;
}

std::vector<int> physical_cores(const std::vector<int>& allowed,
                                const std::vector<std::vector<int>>& siblings) {
  std::vector<int> cores;
  std::vector<int> taken;  // allowed CPUs whose core is in `cores` already
  for (size_t i = 0; i < allowed.size(); ++i) {
    if (std::find(taken.begin(), taken.end(), allowed[i]) != taken.end()) continue;
    cores.push_back(allowed[i]);
    taken.insert(taken.end(), siblings[i].begin(), siblings[i].end());
  }
  return cores;
}

CpuTopology read_cpu_topology(std::string_view root) {
  CpuTopology topology;
  topology.model = model_name(read_text(concat(root, "/proc/cpuinfo")).value_or(""));
  topology.allowed = allowed_cpus();
  std::vector<std::vector<int>> siblings;
  for (const int cpu : topology.allowed) siblings.push_back(siblings_of(root, cpu));
  topology.cores = physical_cores(topology.allowed, siblings);
  topology.quota = read_cgroup_limits(root).cpus;
  topology.caches = read_caches(root, topology.allowed.front());
  return topology;
}

MemoryLimits read_memory_limits(std::string_view root) {
  const std::string info = read_text(concat(root, "/proc/meminfo")).value_or("");
  const std::string_view available = field_of(info, "MemAvailable").value_or("0 kB");
  const CgroupLimits cgroups = read_cgroup_limits(root);
  MemoryLimits limits;
  limits.available_bytes =
      parse_integer(available.substr(0, available.find(' '))).value_or(0) * 1024;
  if (cgroups.memory_left_bytes) {
    limits.available_bytes = std::min(limits.available_bytes, *cgroups.memory_left_bytes);
  }
  limits.limit_bytes = cgroups.memory_bytes;
  return limits;
}

double available_cpus(const CpuTopology& topology) {
  const auto cpus = static_cast<double>(topology.allowed.size());
  return std::min(cpus, topology.quota.value_or(cpus));
}

int default_thread_count(const CpuTopology& topology) {
  const int cores = static_cast<int>(topology.cores.size());
  if (!topology.quota) return std::max(1, cores);
  const double threads = std::min(*topology.quota, static_cast<double>(cores));
  return std::max(1, static_cast<int>(threads));
}

}  // namespace colonnade
