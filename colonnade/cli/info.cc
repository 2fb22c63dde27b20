// colonnade info: this machine, or a model.
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "colonnade/api/session.h"
#include "colonnade/base/cpu_topology.h"
#include "colonnade/base/env.h"
#include "colonnade/base/numerics_version.h"
#include "colonnade/cli/commands.h"
#include "colonnade/cli/exit_codes.h"
#include "colonnade/cli/json.h"
#include "colonnade/cli/terminal.h"
#include "colonnade/device/bandwidth.h"
#include "colonnade/device/isa.h"

namespace colonnade::cli {
namespace {

using nlohmann::ordered_json;

constexpr double kGiB = 1024.0 * 1024 * 1024;

ordered_json machine_json(const InfoOptions& options) {
  const CpuTopology topology = read_cpu_topology();
  const MemoryLimits memory = read_memory_limits();
  const std::string isa = options.model.isa.empty()
                              ? environment_variable("COLONNADE_ISA").value_or("")
                              : options.model.isa;
  const char* chosen = as_usage([&] { return choose_table(isa).name; });
  const int threads =
      options.model.threads > 0 ? options.model.threads : default_thread_count(topology);
  ordered_json usable = ordered_json::array();
  for (const kernels::Isa each : usable_isas()) usable.push_back(kernels::name_of(each));
  ThreadPoolOptions pool;
  pool.threads = threads;
  ordered_json machine = {{"version", COLONNADE_VERSION},
                          {"numerics", kNumericsVersion},
                          {"cpu", topology.model},
                          {"isa", chosen},
                          {"isas", std::move(usable)},
                          {"threads", threads},
                          {"physical_cores", topology.cores.size()},
                          {"cpus", topology.allowed.size()},
                          {"cpu_quota", nullptr},
                          {"l1_bytes", topology.caches.l1},
                          {"l2_bytes", topology.caches.l2},
                          {"l3_bytes", topology.caches.l3},
                          {"available_bytes", memory.available_bytes},
                          {"limit_bytes", nullptr},
                          {"read_bandwidth_gbs", measure_read_bandwidth(pool) / 1e9}};
  if (topology.quota) machine["cpu_quota"] = *topology.quota;
  if (memory.limit_bytes) machine["limit_bytes"] = *memory.limit_bytes;
  return machine;
}

std::string machine_page(const ordered_json& m) {
  const auto number = [&](const char* key) { return m.at(key).get<double>(); };
  const auto text = [&](const char* key) { return m.at(key).get<std::string>(); };
  std::string isas;
  for (const ordered_json& isa : m.at("isas"))
    isas += (isas.empty() ? "" : ", ") + isa.get<std::string>();
  std::string page =
      fmt::format("colonnade {}, numerics {:.0f}\n", text("version"), number("numerics"));
  page += fmt::format("cpu          {}\n", text("cpu"));
  page += fmt::format(
      "cores        {:.0f} physical, {:.0f} CPUs that this process may use{}\n",
      number("physical_cores"), number("cpus"),
      m.at("cpu_quota").is_null() ? "" : fmt::format(", quota {} CPUs", number("cpu_quota")));
  page += fmt::format("threads      {:.0f} by default or by --threads\n", number("threads"));
  page += fmt::format("isa          {} (usable: {})\n", text("isa"), isas);
  page += fmt::format("caches       {:.0f} KiB L1, {:.0f} KiB L2, {:.1f} MiB L3\n",
                      number("l1_bytes") / 1024, number("l2_bytes") / 1024,
                      number("l3_bytes") / 1024 / 1024);
  page += fmt::format("memory       {:.1f} GiB available{}\n", number("available_bytes") / kGiB,
                      m.at("limit_bytes").is_null()
                          ? ""
                          : fmt::format(", limited to {:.1f} GiB", number("limit_bytes") / kGiB));
  page += fmt::format("bandwidth    {:.2f} GB/s read by {:.0f} threads (measured)\n",
                      number("read_bandwidth_gbs"), number("threads"));
  return page;
}

struct TypeSum {
  int64_t tensors = 0;
  int64_t bytes = 0;
};

std::map<std::string, TypeSum> sums_by_type(const ModelDescription& d) {
  std::map<std::string, TypeSum> sums;
  for (const ModelDescription::TensorInfo& tensor : d.tensors) {
    TypeSum& sum = sums[tensor.type];
    ++sum.tensors;
    sum.bytes += tensor.bytes;
  }
  return sums;
}

ordered_json model_json(const ModelDescription& d) {
  ordered_json types = ordered_json::object();
  for (const auto& [type, sum] : sums_by_type(d))
    types[type] = {{"tensors", sum.tensors}, {"bytes", sum.bytes}};
  ordered_json tensors = ordered_json::array();
  for (const ModelDescription::TensorInfo& tensor : d.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"type", tensor.type},
                       {"shape", tensor.shape},
                       {"bytes", tensor.bytes}});
  return {{"path", d.path},
          {"name", d.name},
          {"architecture", d.architecture},
          {"parameters", d.parameters},
          {"file_bytes", d.file_bytes},
          {"rank_files", d.rank_files},
          {"layers", d.layers},
          {"dim", d.dim},
          {"heads", d.heads},
          {"kv_heads", d.kv_heads},
          {"head_dim", d.head_dim},
          {"ffn_dim", d.ffn_dim},
          {"vocab", d.vocab},
          {"context", d.context},
          {"types", std::move(types)},
          {"tensors", std::move(tensors)},
          {"chat_template", d.chat_template}};
}

std::string model_page(const ModelDescription& d) {
  std::string page = fmt::format("{}\n", d.path);
  page += fmt::format("name          {}\n", d.name);
  page +=
      fmt::format("architecture  {}: {} layers, dim {}, {} query and {} KV heads of {}, ffn {}\n",
                  d.architecture, d.layers, d.dim, d.heads, d.kv_heads, d.head_dim, d.ffn_dim);
  page += fmt::format("vocabulary    {} tokens\n", d.vocab);
  page += fmt::format("context       {} positions\n", d.context);
  page +=
      fmt::format("size          {:.1f} M parameters, {:.1f} MB\n",
                  static_cast<double>(d.parameters) / 1e6, static_cast<double>(d.file_bytes) / 1e6);
  if (d.rank_files > 0)
    page +=
        fmt::format("cut           into {} files, one per rank; loads at any --tp\n", d.rank_files);
  page += fmt::format("tensors       {}\n", d.tensors.size());
  for (const auto& [type, sum] : sums_by_type(d))
    page += fmt::format("  {:<10}  {:>5} tensors  {:>10.1f} MB\n", type, sum.tensors,
                        static_cast<double>(sum.bytes) / 1e6);
  page += d.chat_template.empty() ? std::string("template      none\n")
                                  : fmt::format("template\n{}\n", d.chat_template);
  return page;
}

}  // namespace

int info(const InfoOptions& options) {
  if (options.model.path.empty()) {
    const ordered_json machine = machine_json(options);
    print(options.json ? to_page(machine) + "\n" : machine_page(machine));
    return kOk;
  }
  const ModelDescription description = describe_model(options.model.path);
  print(options.json ? to_page(model_json(description)) + "\n" : model_page(description));
  return kOk;
}

}  // namespace colonnade::cli
