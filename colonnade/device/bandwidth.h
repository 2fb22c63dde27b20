// How fast this machine reads memory: what every speed is a share of.
#pragma once

#include <cstdint>

#include "colonnade/base/thread_pool.h"

namespace colonnade {

struct BandwidthOptions {
  int64_t bytes = int64_t{1} << 30;  // in all, divided among the threads; well above the last cache
  int passes = 5;
};

/// Bytes per second that `pool_options.threads` threads read together from memory of their own,
/// each its part in order: the best of `passes`. Allocates options.bytes. Throws Error without
/// memory or for bytes or passes < 1.
double measure_read_bandwidth(const ThreadPoolOptions& pool_options,
                              const BandwidthOptions& options = {});

}  // namespace colonnade
