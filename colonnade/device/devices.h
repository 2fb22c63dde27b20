// make_device: the one place that knows which devices there are.
#pragma once

#include <memory>
#include <string>

#include "colonnade/base/thread_pool.h"
#include "colonnade/tensor/device.h"

namespace colonnade {

struct DeviceOptions {
  std::string name = "cpu";
  /// "scalar", "avx2", ...; empty: COLONNADE_ISA, else the best that this CPU allows.
  std::string isa = "";
  int threads = 0;  // 0: default_thread_count()
  Pinning pinning = Pinning::automatic;
  bool crowded = false;  // ThreadPoolOptions
};

/// Throws Error for an unknown name or an instruction set that the CPU, the system or this build
/// does not have; the message lists those it has.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

}  // namespace colonnade
