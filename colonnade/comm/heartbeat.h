// Heartbeat: signs of life of a rank that waits for somebody outside of the group.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "colonnade/comm/shared_segment.h"

namespace colonnade {

/// A thread that beats for `rank` while it exists, so that rank 0 may wait for its user without a
/// limit and is missed all the same when its process is stopped.
class Heartbeat {
 public:
  /// Well below the shortest timeout, one second.
  static constexpr std::chrono::milliseconds kPeriod{200};

  Heartbeat(std::shared_ptr<SharedSegment> segment, int rank);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  void beat();

  const std::shared_ptr<SharedSegment> segment_;
  const int rank_;
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace colonnade
