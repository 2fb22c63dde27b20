#include "colonnade/device/devices.h"

#include "colonnade/base/cpu_topology.h"
#include "colonnade/base/env.h"
#include "colonnade/base/error.h"
#include "colonnade/device/cpu_device.h"
#include "colonnade/device/isa.h"

namespace colonnade {

std::unique_ptr<Device> make_device(const DeviceOptions& options) {
  CN_CHECK(options.name == "cpu", "device: expected cpu, got \"", options.name, "\"");
  CN_CHECK(options.threads >= 0, "device: threads: expected 0 (choose) or more, got ",
           options.threads);
  const std::string isa =
      options.isa.empty() ? environment_variable("COLONNADE_ISA").value_or("") : options.isa;
  const int threads =
      options.threads > 0 ? options.threads : default_thread_count(read_cpu_topology());
  return std::make_unique<CpuDevice>(choose_table(isa),
                                     ThreadPoolOptions{threads, options.pinning, options.crowded});
}

}  // namespace colonnade
