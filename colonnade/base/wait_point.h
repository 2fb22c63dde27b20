// WaitPoint: where threads, of one process or of several that share memory, wait for a condition on
// atomics: spin briefly, then sleep.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "colonnade/base/cpu_pause.h"

namespace colonnade {

/// How long to spin before sleeping. With more threads than CPUs spinning takes the CPU from the
/// very thread that is waited for: yield once, then sleep.
enum class Patience : uint8_t { spin, yield };

/// Who waits and who wakes.
enum class Sharing : uint8_t { process, machine };

/// The condition reads atomics with sequentially consistent loads; whoever makes it true stores
/// with sequential consistency, then calls wake() if has_sleepers(). So either the sleeper sees the
/// store or the waker sees the sleeper.
class WaitPoint {
 public:
  explicit WaitPoint(Sharing sharing = Sharing::process) : sharing_(sharing) {}

  /// Returns once ready() holds.
  template <typename Ready>
  void wait(Ready ready, Patience patience) {
    wait(
        ready, patience, [] {}, std::chrono::milliseconds::max());
  }

  /// The same; while it sleeps it calls tick() at least every `period`. What tick() throws ends the
  /// wait.
  template <typename Ready, typename Tick>
  void wait(Ready ready, Patience patience, Tick tick, std::chrono::milliseconds period) {
    if (spin_until(ready, patience)) return;
    for (;;) {
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      const uint32_t seen = wakes_.load(std::memory_order_seq_cst);
      const bool done = ready();
      if (!done) sleep(seen, period);
      sleepers_.fetch_sub(1, std::memory_order_seq_cst);
      if (done || ready()) return;
      tick();
    }
  }

  bool has_sleepers() const { return sleepers_.load(std::memory_order_seq_cst) != 0; }
  /// Wakes all sleepers; they look at their conditions again.
  void wake();

 private:
  /// Ten wakes: one takes 5 us (median; Sapphire Rapids, virtual machine, idle CPU). Long enough
  /// for the waits inside a step and the choice of a token between two.
  static constexpr std::chrono::microseconds kSpin{50};
  static constexpr int kPausesPerLook = 4;
  static constexpr int kLooksPerClock = 16;

  template <typename Ready>
  static bool spin_until(Ready& ready, Patience patience) {
    if (ready()) return true;
    if (patience == Patience::yield) {
      yield();
      return ready();
    }
    const auto end = std::chrono::steady_clock::now() + kSpin;
    do {
      for (int look = 0; look < kLooksPerClock; ++look) {
        for (int i = 0; i < kPausesPerLook; ++i) cpu_pause();
        if (ready()) return true;
      }
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }

  static void yield();
  /// Sleeps, for `period` at most, unless wakes_ has changed from `seen`. May return for no reason.
  void sleep(uint32_t seen, std::chrono::milliseconds period);

  std::atomic<uint32_t> wakes_{0};
  std::atomic<int32_t> sleepers_{0};
  const Sharing sharing_;
};

}  // namespace colonnade
