// How fast are the blocks of a GGUF file taken apart? One thread, raw bytes and output in the
// second-level cache. Loading wants at least 1 GB/s of file per core, so that the disk limits it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "colonnade/io/ggml_blocks.h"

namespace {

using colonnade::GgmlType;

/// Seconds of one decode of `rows`: median of many.
double median_seconds(GgmlType type, const std::vector<std::byte>& raw,
                      colonnade::GroupedRows& rows) {
  constexpr int kRepeats = 101;
  std::vector<double> seconds(kRepeats);
  for (double& time : seconds) {
    const auto begin = std::chrono::steady_clock::now();
    colonnade::decode_rows(type, raw.data(), {0, rows.rows}, rows);
    time = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  std::ranges::nth_element(seconds, seconds.begin() + kRepeats / 2);
  return seconds[kRepeats / 2];
}

}  // namespace

int main() {
  constexpr int64_t kRows = 64;
  constexpr int64_t kCols = 2048;
  std::printf("%-6s %10s %12s\n", "type", "file GB/s", "Gweights/s");
  for (const GgmlType type :
       {GgmlType::q4_0, GgmlType::q4_1, GgmlType::q5_0, GgmlType::q5_1, GgmlType::q8_0,
        GgmlType::iq4_nl, GgmlType::mxfp4, GgmlType::q2_k, GgmlType::q3_k, GgmlType::q4_k,
        GgmlType::q5_k, GgmlType::q6_k, GgmlType::iq4_xs, GgmlType::q8_k}) {
    const colonnade::GgmlTypeInfo& info = colonnade::info_of(type);
    std::vector<std::byte> raw(
        static_cast<size_t>(kRows * kCols / info.block_elements * info.block_bytes));
    for (size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<std::byte>(i * 2654435761u >> 13);
    colonnade::GroupedRows rows;
    rows.reshape(colonnade::weight_format(type), kRows, 0, kCols);
    const double seconds = median_seconds(type, raw, rows);
    std::printf("%-6s %10.2f %12.2f\n", info.name, static_cast<double>(raw.size()) / seconds * 1e-9,
                static_cast<double>(kRows * kCols) / seconds * 1e-9);
  }
  return 0;
}
