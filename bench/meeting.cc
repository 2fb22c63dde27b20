// What does a command cost beyond its work? Empty commands that meet, that do not, and a join, per
// number of threads. A decode step of a 30-layer model has about 150 meetings and 250 commands.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "colonnade/base/thread_pool.h"

namespace {

void nothing(void*, const std::byte*, int64_t, int) {}

double microseconds_each(int count, const auto& run) {
  double best = 1e9;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) run();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / count);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 4;
  std::printf("%7s %12s %12s %12s   (us, best of 20)\n", "threads", "meeting", "no meeting",
              "join");
  for (int threads = 1; threads <= most; ++threads) {
    colonnade::ThreadPool pool({.threads = threads}, nothing, nullptr);
    const char command[320] = {};
    const auto submit = [&](bool meets) { pool.submit(command, sizeof(command), meets); };
    const double meeting = microseconds_each(1000, [&] { submit(true); });
    const double free = microseconds_each(1000, [&] { submit(false); });
    const double join = microseconds_each(1000, [&] {
      submit(true);
      pool.join();
    });
    std::printf("%7d %12.3f %12.3f %12.3f\n", threads, meeting, free, join);
  }
  return 0;
}
