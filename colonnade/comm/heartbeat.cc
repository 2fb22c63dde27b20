#include "colonnade/comm/heartbeat.h"

#include <atomic>
#include <utility>

namespace colonnade {

Heartbeat::Heartbeat(std::shared_ptr<SharedSegment> segment, int rank)
    : segment_(std::move(segment)), rank_(rank), thread_([this] { beat(); }) {}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void Heartbeat::beat() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, kPeriod, [&] { return ends_; })) {
    // relaxed: a hint, orders nothing.
    segment_->life(rank_).beats.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace colonnade
