// How fast do 1 .. T threads read memory? The measure that decode speeds are compared with.
//
//   bench_read_bandwidth [THREADS [MIB]]     default: all CPUs that the process may use, 1024 MiB
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include "colonnade/device/bandwidth.h"

namespace {

constexpr int kRounds = 5;

}  // namespace

int main(int argc, char** argv) {
  try {
    const int most =
        argc > 1 ? std::atoi(argv[1]) : static_cast<int>(std::thread::hardware_concurrency());
    const int64_t mib = argc > 2 ? std::atoll(argv[2]) : 1024;
    std::printf("| threads | GB/s, best | median of %d | worst |\n|---:|---:|---:|---:|\n",
                kRounds);
    for (int threads = 1; threads <= most; ++threads) {
      std::vector<double> rates;
      for (int round = 0; round < kRounds; ++round) {
        rates.push_back(colonnade::measure_read_bandwidth({.threads = threads},
                                                          {.bytes = mib << 20, .passes = 3}));
      }
      std::sort(rates.begin(), rates.end());
      std::printf("| %d | %.2f | %.2f | %.2f |\n", threads, rates.back() / 1e9,
                  rates[kRounds / 2] / 1e9, rates.front() / 1e9);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
