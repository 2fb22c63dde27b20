#include "colonnade/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "colonnade/base/cpu_float_env.h"
#include "colonnade/base/cpu_topology.h"
#include "colonnade/base/error.h"
#include "colonnade/base/wait_point.h"

namespace colonnade {
namespace {

constexpr int64_t kRing = 128;     // commands that may wait; a decoder layer has about ten
constexpr size_t kLinePair = 128;  // the prefetcher fetches lines in pairs

struct alignas(64) Slot {
  std::byte command[ThreadPool::kCommandBytes];
  bool meets;
};

struct alignas(kLinePair) Counter {
  std::atomic<int64_t> value{0};
};

cpu_set_t one_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return set;
}

/// Keeps every signal from the threads started in its scope: Ctrl-C belongs to the program.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

/// The CPU of each thread, or none.
std::vector<int> cpus_to_pin(const ThreadPoolOptions& options, const CpuTopology& machine) {
  const auto threads = static_cast<size_t>(options.threads);
  const size_t cores = machine.cores.size();
  const bool pin = options.pinning == Pinning::on
                       ? threads <= cores
                       : options.pinning == Pinning::automatic && threads == cores;
  return pin && threads > 1 ? machine.cores : std::vector<int>{};
}

Patience patience_for(const ThreadPoolOptions& options, const CpuTopology& machine) {
  return options.crowded || options.threads > available_cpus(machine) ? Patience::yield
                                                                      : Patience::spin;
}

}  // namespace

struct ThreadPool::State {
  State(const ThreadPoolOptions& options, const CpuTopology& machine, Handler handler_,
        void* context_)
      : handler(handler_),
        context(context_),
        threads(options.threads),
        patience(patience_for(options, machine)),
        cpus(cpus_to_pin(options, machine)),
        ring(kRing),
        done(static_cast<size_t>(options.threads)) {}

  /// All workers but `self` have finished the commands before `sequence`.
  void wait_for_all(int64_t sequence, int self) {
    int next = 0;
    all_done.wait(
        [&] {
          while (next < threads && (next == self || reached(next, sequence))) ++next;
          return next == threads;
        },
        patience);
  }

  bool reached(int worker, int64_t sequence) const {
    return done[static_cast<size_t>(worker)].value.load(std::memory_order_seq_cst) >= sequence;
  }

  /// Runs worker's part of command `sequence`.
  void run(int64_t sequence, int worker) {
    const Slot& slot = ring[static_cast<size_t>(sequence % kRing)];
    if (slot.meets) wait_for_all(sequence, worker);
    handler(context, slot.command, sequence, worker);
    // seq_cst: WaitPoint's contract.
    done[static_cast<size_t>(worker)].value.store(sequence + 1, std::memory_order_seq_cst);
    // Only the last to arrive wakes the others: with more threads than CPUs, a wake per arrival
    // would start every sleeper T times.
    if (all_done.has_sleepers() && everyone_reached(sequence + 1)) all_done.wake();
  }

  bool everyone_reached(int64_t sequence) const {
    for (int worker = 0; worker < threads; ++worker) {
      if (!reached(worker, sequence)) return false;
    }
    return true;
  }

  void work(int worker) {
    const FloatEnvironment environment;
    for (int64_t sequence = 0;; ++sequence) {
      available.wait(
          [&] {
            return published.load(std::memory_order_seq_cst) > sequence ||
                   stop.load(std::memory_order_seq_cst);
          },
          patience);
      if (published.load(std::memory_order_seq_cst) <= sequence) return;
      run(sequence, worker);
    }
  }

  void start() {
    const BlockedSignals blocked;
    try {
      for (int worker = 1; worker < threads; ++worker) {
        workers.emplace_back([this, worker] { work(worker); });
        if (cpus.empty()) continue;
        const cpu_set_t set = one_cpu(cpus[static_cast<size_t>(worker)]);
        // A refusal costs speed, not correctness.
        pthread_setaffinity_np(workers.back().native_handle(), sizeof(set), &set);
      }
    } catch (const std::system_error& error) {
      const size_t started = workers.size();
      finish();
      throw Error(concat("thread pool: the system refused thread ", started + 1, " of ",
                         threads - 1, ": ", error.what(), "; use fewer threads"));
    }
  }

  void finish() {
    stop.store(true, std::memory_order_seq_cst);
    available.wake();
    for (std::thread& worker : workers) worker.join();
    workers.clear();
  }

  /// From the first command to the join the caller is worker 0: on its CPU. Outside it is as it
  /// was.
  void pin_caller() {
    if (cpus.empty() || caller_pinned) return;
    const cpu_set_t set = one_cpu(cpus[0]);
    caller_pinned =
        pthread_getaffinity_np(pthread_self(), sizeof(caller_cpus), &caller_cpus) == 0 &&
        pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0;
  }
  void release_caller() {
    if (caller_pinned) pthread_setaffinity_np(pthread_self(), sizeof(caller_cpus), &caller_cpus);
    caller_pinned = false;
  }

  const Handler handler;
  void* const context;
  const int threads;
  const Patience patience;
  const std::vector<int> cpus;  // [threads] or none: where they are pinned
  std::vector<Slot> ring;
  std::vector<Counter> done;  // [threads] commands that a worker has finished
  std::vector<std::thread> workers;
  int64_t next = 0;  // the caller's: sequence of the next command
  int64_t meetings = 0;
  cpu_set_t caller_cpus;
  bool caller_pinned = false;
  alignas(kLinePair) std::atomic<int64_t> published{0};
  std::atomic<bool> stop{false};
  alignas(kLinePair) WaitPoint available;  // for published or stop
  alignas(kLinePair) WaitPoint all_done;   // for done of all workers
};

ThreadPool::ThreadPool(const ThreadPoolOptions& options, Handler handler, void* context) {
  CN_CHECK(options.threads >= 1, "thread pool: threads: expected at least 1, got ",
           options.threads);
  state_ = std::make_unique<State>(options, read_cpu_topology(), handler, context);
  state_->start();
}

ThreadPool::~ThreadPool() {
  join();
  state_->finish();
}

int ThreadPool::threads() const { return state_->threads; }
int64_t ThreadPool::meetings() const { return state_->meetings; }

void ThreadPool::submit(const void* command, int64_t bytes, bool meets) {
  CN_ASSERT(bytes <= kCommandBytes, "command of ", bytes, " bytes");
  State& s = *state_;
  s.pin_caller();
  const int64_t sequence = s.next++;
  s.meetings += meets ? 1 : 0;
  // The slot's last command must be finished everywhere before it is written over.
  if (sequence >= kRing) s.wait_for_all(sequence - kRing + 1, 0);
  Slot& slot = s.ring[static_cast<size_t>(sequence % kRing)];
  std::memcpy(slot.command, command, static_cast<size_t>(bytes));
  slot.meets = meets;
  if (s.threads > 1) {
    s.published.store(sequence + 1, std::memory_order_seq_cst);  // WaitPoint's contract
    if (s.available.has_sleepers()) s.available.wake();
  }
  const FloatEnvironment environment;
  s.run(sequence, 0);
}

void ThreadPool::join() {
  state_->wait_for_all(state_->next, 0);
  state_->release_caller();
}

}  // namespace colonnade
