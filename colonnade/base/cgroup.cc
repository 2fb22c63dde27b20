#include "colonnade/base/cgroup.h"

#include <algorithm>

#include "colonnade/base/text_file.h"

namespace colonnade {
namespace {

struct Mount {
  std::string point;    // where it is mounted
  std::string root;     // which folder of the hierarchy is mounted there
  std::string type;     // cgroup or cgroup2
  std::string options;  // of the file system: the controllers of a version 1 hierarchy
};

/// mountinfo: id, parent, device, root, point, options, optional fields..., "-", type, source,
/// super options.
std::vector<Mount> cgroup_mounts(std::string_view mounts) {
  std::vector<Mount> result;
  for (const std::string_view line : split(mounts, '\n')) {
    const std::vector<std::string_view> fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    const std::string_view type = dash[1];
    if (type != "cgroup" && type != "cgroup2") continue;
    result.push_back(
        {std::string(fields[4]), std::string(fields[3]), std::string(type), std::string(dash[3])});
  }
  return result;
}

bool contains(std::string_view list, std::string_view name) {
  const std::vector<std::string_view> names = split(list, ',');
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// This process's path in the hierarchy of `controller`, "" being version 2. Lines are
/// "id:controllers:path".
std::optional<std::string_view> group_path(std::string_view groups, std::string_view controller) {
  for (const std::string_view line : split(groups, '\n')) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first == std::string_view::npos ? first : first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view names = line.substr(first + 1, second - first - 1);
    const bool found = controller.empty() ? names.empty() : contains(names, controller);
    if (found) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The folder of `path` under the mount and every folder above it, up to the mount point.
void append_folders(const Mount& mount, std::string_view path, std::vector<std::string>& folders) {
  // In a container the mount often shows only the container's own part of the hierarchy.
  if (mount.root != "/" && path.starts_with(mount.root)) path.remove_prefix(mount.root.size());
  while (path.ends_with('/')) path.remove_suffix(1);
  while (!path.empty()) {
    folders.push_back(mount.point + std::string(path));
    path = path.substr(0, path.rfind('/'));
  }
  folders.push_back(mount.point);
}

template <typename T>
void keep_smaller(std::optional<T>& smallest, const std::optional<T>& value) {
  if (value && (!smallest || *value < *smallest)) smallest = value;
}

std::optional<double> cpus_of(const std::string& folder) {
  if (const auto text = read_text(folder + "/cpu.max")) return parse_cpu_max(*text);
  const auto quota = read_text(folder + "/cpu.cfs_quota_us");
  const auto period = read_text(folder + "/cpu.cfs_period_us");
  return quota && period ? parse_cfs_quota(*quota, *period) : std::nullopt;
}

/// Bytes in use that do not go away by themselves. The kernel drops inactive file pages before it
/// refuses memory.
int64_t memory_in_use(const std::string& folder, bool version2) {
  const auto used = read_text(folder + (version2 ? "/memory.current" : "/memory.usage_in_bytes"));
  const std::string stat = read_text(folder + "/memory.stat").value_or("");
  const auto droppable = field_of(stat, version2 ? "inactive_file" : "total_inactive_file");
  const int64_t used_bytes = used ? parse_integer(trim(*used)).value_or(0) : 0;
  const int64_t droppable_bytes = droppable ? parse_integer(*droppable).value_or(0) : 0;
  return std::max<int64_t>(0, used_bytes - droppable_bytes);
}

void read_memory(const std::string& folder, CgroupLimits& limits) {
  const auto version2 = read_text(folder + "/memory.max");
  const auto text = version2 ? version2 : read_text(folder + "/memory.limit_in_bytes");
  if (!text) return;
  const std::optional<int64_t> limit = parse_memory_limit(*text);
  if (!limit) return;
  keep_smaller(limits.memory_bytes, limit);
  const int64_t left = *limit - memory_in_use(folder, version2.has_value());
  keep_smaller<int64_t>(limits.memory_left_bytes, std::max<int64_t>(0, left));
}

}  // namespace

std::vector<std::string> cgroup_folders(std::string_view mounts, std::string_view groups,
                                        std::string_view controller) {
  std::vector<std::string> folders;
  for (const Mount& mount : cgroup_mounts(mounts)) {
    const bool version2 = mount.type == "cgroup2";
    if (!version2 && !contains(mount.options, controller)) continue;
    if (const auto path = group_path(groups, version2 ? "" : controller)) {
      append_folders(mount, *path, folders);
    }
  }
  return folders;
}

std::optional<double> parse_cfs_quota(std::string_view quota, std::string_view period) {
  const std::optional<int64_t> time = parse_integer(trim(quota));
  const std::optional<int64_t> of = parse_integer(trim(period));
  if (!time || !of || *time <= 0 || *of <= 0) return std::nullopt;
  return static_cast<double>(*time) / static_cast<double>(*of);
}

std::optional<double> parse_cpu_max(std::string_view text) {
  const std::vector<std::string_view> words = split(trim(text), ' ');
  return words.size() == 2 ? parse_cfs_quota(words[0], words[1]) : std::nullopt;
}

std::optional<int64_t> parse_memory_limit(std::string_view text) {
  const std::optional<int64_t> limit = parse_integer(trim(text));
  if (!limit || *limit < 0 || *limit >= int64_t{1} << 60) return std::nullopt;
  return limit;
}

CgroupLimits read_cgroup_limits(std::string_view root) {
  const std::string base(root);
  const std::string mounts = read_text(base + "/proc/self/mountinfo").value_or("");
  const std::string groups = read_text(base + "/proc/self/cgroup").value_or("");
  CgroupLimits limits;
  for (const std::string& folder : cgroup_folders(mounts, groups, "cpu")) {
    keep_smaller(limits.cpus, cpus_of(base + folder));
  }
  for (const std::string& folder : cgroup_folders(mounts, groups, "memory")) {
    read_memory(base + folder, limits);
  }
  return limits;
}

}  // namespace colonnade
