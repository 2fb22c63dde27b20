// How long does it take to open a GGUF file? bench_gguf_header MODEL.gguf. Most of the header is
// the vocabulary; start to first token wants it read in a few milliseconds per 100,000 tokens.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <vector>

#include "colonnade/io/gguf.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::printf("usage: bench_gguf_header MODEL.gguf\n");
    return 0;
  }
  try {
    constexpr int kRepeats = 21;
    std::vector<double> milliseconds;
    int64_t bytes = 0;
    for (int i = 0; i < kRepeats; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const colonnade::GgufFile file(arguments[1]);
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - begin;
      milliseconds.push_back(time.count());
      bytes = file.bytes_read();
    }
    std::ranges::sort(milliseconds);
    std::printf("%.1f MB read, median %.2f ms, %.2f to %.2f ms\n",
                static_cast<double>(bytes) * 1e-6, milliseconds[kRepeats / 2], milliseconds.front(),
                milliseconds.back());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
