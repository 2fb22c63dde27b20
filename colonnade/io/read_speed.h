// How fast files are read when nothing is done with them: what the speed of loading is a share of.
#pragma once

#include <cstdint>
#include <span>

#include "colonnade/base/file.h"
#include "colonnade/base/thread_pool.h"

namespace colonnade {

struct ReadSpeedOptions {
  int64_t bytes = int64_t{128} << 20;  // of the files, from the first on
  double seconds = 0.1;  // where the page cache has lost them, a disk is not read for longer
};

/// Bytes per second that the threads of a pool read together, each its part in order, into a
/// buffer that stays in the second-level cache. Throws Error for less than a byte to read, and as
/// File does.
double measure_read_speed(std::span<const File> files, const ThreadPoolOptions& pool,
                          const ReadSpeedOptions& options = {});

}  // namespace colonnade
