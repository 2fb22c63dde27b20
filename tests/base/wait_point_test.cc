#include "colonnade/base/wait_point.h"

#include <thread>

#include <gtest/gtest.h>

namespace colonnade {
namespace {

/// Two threads hand a number back and forth `rounds` times.
int64_t ping_pong(int rounds, Patience patience) {
  WaitPoint point;
  std::atomic<int64_t> value{0};
  const auto play = [&](int64_t parity) {
    for (int i = 0; i < rounds; ++i) {
      point.wait([&] { return value.load() % 2 == parity; }, patience);
      value.fetch_add(1);
      if (point.has_sleepers()) point.wake();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  return value.load();
}

TEST(WaitPoint, NoWakeIsLostWhileSpinning) { EXPECT_EQ(ping_pong(2000, Patience::spin), 4000); }

TEST(WaitPoint, NoWakeIsLostWhileSleeping) { EXPECT_EQ(ping_pong(5000, Patience::yield), 10000); }

TEST(WaitPoint, HasSleepersOnlyWhileSomebodySleeps) {
  WaitPoint point;
  std::atomic<bool> open{false};
  EXPECT_FALSE(point.has_sleepers());
  std::thread waiter([&] { point.wait([&] { return open.load(); }, Patience::yield); });
  while (!point.has_sleepers()) std::this_thread::yield();
  open.store(true);
  point.wake();
  waiter.join();
  EXPECT_FALSE(point.has_sleepers());
}

}  // namespace
}  // namespace colonnade
