#include "colonnade/base/parallel_items.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "colonnade/base/thread_pool.h"

namespace colonnade {
namespace {

struct Job {
  int64_t count;
  const std::function<void(int64_t)>& work;
  const std::function<void()>& between;
  std::atomic<int64_t> next{0};  // relaxed: items are independent, join() orders their results
  std::mutex mutex = {};
  std::exception_ptr failure = {};

  void run(int worker) {
    while (true) {
      const int64_t item = next.fetch_add(1, std::memory_order_relaxed);
      if (item >= count) return;
      work(item);
      if (worker == 0) between();
    }
  }

  void fail() {
    next.store(count, std::memory_order_relaxed);
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
  }
};

void run_items(void* context, const std::byte* /*command*/, int64_t /*sequence*/, int worker) {
  Job& job = *static_cast<Job*>(context);
  try {
    job.run(worker);
  } catch (...) {
    job.fail();
  }
}

}  // namespace

void parallel_items(int threads, int64_t count, const std::function<void(int64_t)>& work,
                    const std::function<void()>& between) {
  Job job{.count = count, .work = work, .between = between};
  ThreadPoolOptions options;
  options.threads = static_cast<int>(std::clamp<int64_t>(count, 1, threads));
  options.pinning = Pinning::off;  // items read and write files
  ThreadPool pool(options, run_items, &job);
  const std::byte nothing{};
  pool.submit(&nothing, 1, /*meets=*/true);
  pool.join();
  if (job.failure) std::rethrow_exception(job.failure);
  if (count > 0) between();
}

}  // namespace colonnade
