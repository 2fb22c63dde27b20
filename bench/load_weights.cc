// How much of the page cache's speed is left when weights are packed as they are read?
//   bench_load_weights PATH [THREADS [ROUNDS [turned]]]   PATH: safetensors or GGUF
// `turned`: as if the file held every matrix transposed, as GPT-2's do. Every matrix is packed
// whole into a fresh device, as one rank does it. Beside it, in turns: the same files read into a
// buffer in the cache ("read"), into fresh memory of their size ("copy"), which no loader can do
// without, and memory of their size written for the first time, without reading ("fresh").
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/time.h>

#include "colonnade/base/partition.h"
#include "colonnade/device/devices.h"
#include "colonnade/io/gguf_source.h"
#include "colonnade/io/hf_folder.h"
#include "colonnade/io/safetensors_source.h"
#include "colonnade/tensor/memory.h"

namespace {

using namespace colonnade;

constexpr int64_t kPiece = 256 << 10;
constexpr int64_t kPage = 2 << 20;

/// The tensors of a file or folder.
struct Model {
  std::unique_ptr<GgufFile> gguf;
  std::unique_ptr<TensorSource> source;
  const std::vector<File>* files = nullptr;
};

Model open_model(const std::string& path) {
  Model model;
  if (is_hf_model(path)) {
    const HfFolder folder(path);
    auto source = std::make_unique<SafetensorsSource>(
        folder.weights(), folder.text("config.json") ? &folder.config() : nullptr);
    model.files = &source->files().files();
    model.source = std::move(source);
  } else {
    model.gguf = std::make_unique<GgufFile>(path);
    model.source = std::make_unique<GgufSource>(*model.gguf);
    model.files = &model.gguf->files();
  }
  return model;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// Of all threads together: other programs on this machine do not count. The system copies and
/// makes pages; what is left is our own work.
struct Cpu {
  double own = 0, system = 0;
};
Cpu cpu_now() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {seconds_of(usage.ru_utime), seconds_of(usage.ru_stime)};
}

struct Times {
  std::vector<double> wall, own, system;

  void add(const std::function<void()>& run) {
    const Cpu cpu = cpu_now();
    const auto begin = std::chrono::steady_clock::now();
    run();
    wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    own.push_back(cpu_now().own - cpu.own);
    system.push_back(cpu_now().system - cpu.system);
  }
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Every thread reads its part of every file, into `memory` or into a small buffer.
void read_all(const Model& model, int threads, std::byte* memory) {
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([&model, threads, t, memory] {
      std::vector<std::byte> buffer(memory == nullptr ? kPiece : 0);
      int64_t before = 0;
      for (const File& file : *model.files) {
        const int64_t begin = file.size() / threads * t;
        const int64_t end = t + 1 == threads ? file.size() : file.size() / threads * (t + 1);
        for (int64_t at = begin; at < end; at += kPiece) {
          std::byte* to = memory == nullptr ? buffer.data() : memory + before + at;
          file.read_at(at, {to, static_cast<size_t>(std::min(kPiece, end - at))});
        }
        before += file.size();
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
}

/// Every thread fills its part, a huge page at a time.
void write_all(const Memory& memory, int threads) {
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) {
    pool.emplace_back([&memory, threads, t] {
      const Range part = even_part((memory.bytes() + kPage - 1) / kPage, threads, t);
      for (int64_t page = part.begin; page < part.end; ++page) {
        const int64_t bytes = std::min(kPage, memory.bytes() - page * kPage);
        std::memset(memory.data() + page * kPage, 1, static_cast<size_t>(bytes));
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
}

/// Bytes packed.
int64_t load_all(const Model& model, Device& device, bool turned) {
  std::vector<WeightPtr> weights;
  int64_t bytes = 0;
  for (TensorEntry entry : model.source->entries()) {
    if (entry.rows < 2) continue;
    if (turned) std::swap(entry.rows, entry.cols);
    entry.transposed = turned;
    const Tier tier = is_grouped(entry.format) ? Tier::int8 : Tier::f32;
    weights.push_back(
        device.pack({entry.name, entry.format, entry.rows, KPlan(entry.format, entry.cols), tier},
                    model.source->rows(entry, {{0, entry.rows}, {0, entry.cols}})));
    bytes += entry.file_bytes;
  }
  return bytes;
}

void run(const std::string& path, int threads, int rounds, bool turned) {
  const Model model = open_model(path);
  int64_t size = 0, packed = 0;
  for (const File& file : *model.files) size += file.size();
  Times read, copy, fresh, load;
  for (int round = 0; round <= rounds; ++round) {
    if (round == 1) read = copy = fresh = load = {};  // the first one has filled the page cache
    read.add([&] { read_all(model, threads, nullptr); });
    copy.add([&] {
      const Memory memory = allocate_host_memory(size);
      read_all(model, threads, memory.data());
    });
    fresh.add([&] {
      const Memory memory = allocate_host_memory(size);
      write_all(memory, threads);
    });
    load.add([&] {
      const auto device = make_device({.threads = threads});
      packed = load_all(model, *device, turned);
    });
  }
  std::printf("%s: %.0f MB, of which %.0f MB of matrices; %d threads, medians of %d rounds\n",
              path.c_str(), static_cast<double>(size) * 1e-6, static_cast<double>(packed) * 1e-6,
              threads, rounds);
  const auto print = [&](const char* what, const Times& times, int64_t bytes) {
    const auto gb = static_cast<double>(bytes) * 1e-9;
    const double speed = gb / median(times.wall);
    const auto share_of = [&](const Times& other) {
      return 100 * speed * median(other.wall) / (static_cast<double>(size) * 1e-9);
    };
    std::printf(
        "%-5s %6.2f GB/s, %3.0f %% of read, %3.0f %% of copy;  seconds of CPU per GB: system %.3f, "
        "own %.3f\n",
        what, speed, share_of(read), share_of(copy), median(times.system) / gb,
        median(times.own) / gb);
  };
  print("read", read, size);
  print("copy", copy, size);
  print("fresh", fresh, size);
  print("load", load, packed);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: bench_load_weights PATH [THREADS [ROUNDS [turned]]]\n");
    return 2;
  }
  const int threads = count > 2 ? std::atoi(arguments[2]) : 1;
  const bool turned = count > 4 && std::string(arguments[4]) == "turned";
  run(arguments[1], std::max(1, threads), count > 3 ? std::atoi(arguments[3]) : 5, turned);
  return 0;
}
