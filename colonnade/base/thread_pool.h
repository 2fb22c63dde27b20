// ThreadPool: workers that run one stream of small commands together. The caller is worker 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace colonnade {

enum class Pinning : uint8_t {
  off,
  on,        // one thread per physical core of those that the process may use
  automatic  // on when the threads take all of those cores
};

struct ThreadPoolOptions {
  int threads = 1;
  Pinning pinning = Pinning::automatic;
  bool crowded = false;  // others want the same CPUs: nobody spins
};

/// Every worker runs every command, in order; what part of it is the command's business. Workers
/// run ahead of one another and meet only where a command says so. They spin briefly for work, then
/// sleep; with more threads than CPUs they sleep at once. Every worker runs with the float
/// environment of base/cpu_float_env. submit() and join() are for one thread at a time.
class ThreadPool {
 public:
  static constexpr int64_t kCommandBytes = 336;

  /// Runs worker's part of a command. Must not throw.
  using Handler = void (*)(void* context, const std::byte* command, int64_t sequence, int worker);

  /// Throws Error for threads < 1 or if the system refuses a thread.
  ThreadPool(const ThreadPoolOptions& options, Handler handler, void* context);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;

  /// Enqueues `bytes` <= kCommandBytes and runs the caller's own part before it returns. `meets`:
  /// no worker begins before all have finished everything before.
  void submit(const void* command, int64_t bytes, bool meets);

  /// Returns when all workers have finished everything.
  void join();

  /// Times the workers met since the start, joins not counted.
  int64_t meetings() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace colonnade
