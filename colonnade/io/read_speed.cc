#include "colonnade/io/read_speed.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <vector>

#include "colonnade/base/error.h"
#include "colonnade/base/partition.h"
#include "colonnade/base/range.h"

namespace colonnade {
namespace {

/// Of a read. Measured: 128 KiB to 512 KiB are equally fast, 32 KiB and 2 MiB take a tenth longer.
constexpr int64_t kPiece = 256 << 10;

struct Job {
  std::span<const File> files;
  const Partition* parts;
  std::vector<std::vector<std::byte>>* buffers;  // [threads]
  std::vector<std::exception_ptr>* errors;       // [threads]
};

/// Reads those bytes that are [part.begin, part.end) of all files one behind the other.
void read_part(std::span<const File> files, Range part, std::span<std::byte> buffer) {
  int64_t before = 0;
  for (const File& file : files) {
    const int64_t end = std::min(file.size(), part.end - before);
    for (int64_t at = std::max<int64_t>(0, part.begin - before); at < end;) {
      const int64_t size = std::min(kPiece, end - at);
      file.read_at(at, buffer.first(static_cast<size_t>(size)));
      at += size;
    }
    before += file.size();
  }
}

void run_part(void* context, const std::byte* /*command*/, int64_t /*sequence*/, int worker) {
  const Job& job = *static_cast<Job*>(context);
  const auto w = static_cast<size_t>(worker);
  try {
    read_part(job.files, job.parts->of(worker), (*job.buffers)[w]);
  } catch (...) {
    (*job.errors)[w] = std::current_exception();
  }
}

}  // namespace

double measure_read_speed(std::span<const File> files, const ThreadPoolOptions& pool_options,
                          int64_t bytes) {
  const int64_t all = std::min(bytes, total_size(files));
  CN_CHECK(all > 0, "measure_read_speed: expected a byte to read or more, got ", bytes, " of ",
           total_size(files));
  const Partition parts(all, 1, pool_options.threads);
  const auto threads = static_cast<size_t>(pool_options.threads);
  std::vector<std::vector<std::byte>> buffers(threads, std::vector<std::byte>(kPiece));
  std::vector<std::exception_ptr> errors(threads);
  Job job{files, &parts, &buffers, &errors};
  ThreadPool pool(pool_options, run_part, &job);
  const auto begin = std::chrono::steady_clock::now();
  const std::byte command{};
  pool.submit(&command, sizeof command, /*meets=*/true);
  pool.join();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return static_cast<double>(all) / std::max(1e-9, seconds.count());
}

}  // namespace colonnade
