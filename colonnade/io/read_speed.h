// How fast files are read when nothing is done with them: what the speed of loading is a share of.
#pragma once

#include <cstdint>
#include <span>

#include "colonnade/base/file.h"
#include "colonnade/base/thread_pool.h"

namespace colonnade {

/// Bytes per second that the threads of a pool read together, each its part in order, of the first
/// `bytes` of the files, into a buffer that stays in the second-level cache. From the page cache,
/// if they have been read before. Throws Error for less than a byte to read, and as File does.
double measure_read_speed(std::span<const File> files, const ThreadPoolOptions& pool,
                          int64_t bytes);

}  // namespace colonnade
