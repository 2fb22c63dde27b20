// What each rank of a session holds and what loading it took.
#pragma once

#include <cstdint>
#include <span>

namespace colonnade {

/// What a rank holds and does; the numbers of a plan, counted.
struct RankReport {
  int64_t weight_bytes = 0;     // in memory
  int64_t bytes_per_token = 0;  // of weights that a decode step reads
  int64_t multiply_adds = 0;    // of one token, without attention
  int64_t file_bytes = 0;       // of the model that it read
  double load_s = 0;            // from the first byte read to the last one packed
  double read_s = 0;  // that its threads were in reads, together; of ranks that are threads of one
                      // process the mean
  int32_t threads = 0;
  char device[92] = {};
};

/// What loading took, all ranks together.
struct LoadTimes {
  int64_t file_bytes = 0;  // that were read
  double seconds = 0;      // of the slowest rank
  double packing_share =
      0;  // of the threads' time: converting, packing, and making pages of memory

  double bytes_per_s() const { return seconds > 0 ? static_cast<double>(file_bytes) / seconds : 0; }
};

LoadTimes load_times_of(std::span<const RankReport> ranks);

}  // namespace colonnade
