// How fast are rows packed into P16 panels? One thread, rows and panels in the second-level cache.
// Bytes are those of the file that the rows came from. Loading wants at least 1 GB/s per core, so
// that the disk limits it.
#include "colonnade/device/pack_panels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "colonnade/device/cpu_weight.h"
#include "colonnade/io/ggml_blocks.h"

namespace {

using colonnade::CpuWeight;
using colonnade::GgmlType;
using colonnade::KPlan;
using colonnade::Tier;
using colonnade::WeightFormat;
using colonnade::WeightSpec;

constexpr int64_t kRows = 64;
constexpr int64_t kCols = 2048;

double median_seconds(const std::function<void()>& run) {
  constexpr int kRepeats = 101;
  std::vector<double> seconds(kRepeats);
  for (double& time : seconds) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    time = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  std::ranges::nth_element(seconds, seconds.begin() + kRepeats / 2);
  return seconds[kRepeats / 2];
}

void print(const char* name, double file_bytes, double seconds) {
  std::printf("%-6s %10.2f %12.2f\n", name, file_bytes / seconds * 1e-9,
              static_cast<double>(kRows * kCols) / seconds * 1e-9);
}

void bench_grouped(GgmlType type) {
  const colonnade::GgmlTypeInfo& info = colonnade::info_of(type);
  const WeightFormat format = colonnade::weight_format(type);
  colonnade::WeightArena arena;
  const CpuWeight weight(WeightSpec{"w", format, kRows, KPlan(format, kCols), Tier::int8}, arena);
  colonnade::GroupedRows rows;
  rows.reshape(format, kRows, 0, kCols);
  const double seconds = median_seconds([&] {
    for (int64_t r = 0; r < kRows; r += 16) {
      colonnade::pack_grouped_panel(rows, r, weight.plan(),
                                    reinterpret_cast<uint8_t*>(weight.unit(r / 16)));
    }
  });
  print(info.name, static_cast<double>(kRows * kCols / info.block_elements * info.block_bytes),
        seconds);
}

void bench_f32() {
  const std::vector<float> rows(kRows * kCols, 1.0f);
  std::vector<float> panel(16 * kCols);
  print("F32", 4.0 * kRows * kCols, median_seconds([&] {
          for (int64_t r = 0; r < kRows; r += 16) {
            colonnade::pack_f32_panel(rows.data() + r * kCols, 16, kCols, panel.data());
          }
        }));
}

void bench_pairs() {
  const KPlan plan(WeightFormat::bf16, kCols);
  const std::vector<uint16_t> rows(kRows * kCols, 1);
  std::vector<uint32_t> panels(kRows * kCols / 2);
  print("BF16", 2.0 * kRows * kCols, median_seconds([&] {
          colonnade::pack_pair_panels(rows.data(), kRows, plan, panels.data());
        }));
}

}  // namespace

int main() {
  std::printf("%-6s %10s %12s\n", "type", "file GB/s", "Gweights/s");
  for (const GgmlType type :
       {GgmlType::q4_0, GgmlType::q4_1, GgmlType::q5_0, GgmlType::q5_1, GgmlType::q8_0,
        GgmlType::iq4_nl, GgmlType::mxfp4, GgmlType::q2_k, GgmlType::q3_k, GgmlType::q4_k,
        GgmlType::q5_k, GgmlType::q6_k, GgmlType::iq4_xs, GgmlType::q8_k}) {
    bench_grouped(type);
  }
  bench_f32();
  bench_pairs();
  return 0;
}
