#include "colonnade/api/rank_report.h"

#include <algorithm>

namespace colonnade {

LoadTimes load_times_of(std::span<const RankReport> ranks) {
  LoadTimes times;
  double all_s = 0, read_s = 0;
  for (const RankReport& rank : ranks) {
    times.file_bytes += rank.file_bytes;
    times.seconds = std::max(times.seconds, rank.load_s);
    all_s += rank.load_s * rank.threads;
    read_s += rank.read_s;
  }
  if (all_s > 0) times.packing_share = std::clamp(1 - read_s / all_s, 0.0, 1.0);
  return times;
}

}  // namespace colonnade
