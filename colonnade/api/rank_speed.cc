#include "colonnade/api/rank_speed.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "colonnade/comm/group.h"
#include "colonnade/ops/matmul.h"
#include "colonnade/tensor/grouped_rows.h"
#include "colonnade/tensor/workspace.h"

namespace colonnade {
namespace {

constexpr int64_t kK = 4096;
constexpr int64_t kRows = 14'400;  // 64 MB of q8_0: more than a rank's caches hold for itself
constexpr double kSeconds = 0.1;
constexpr int kFewestRounds = 3;

/// Rows of zeros: their products take as long as any.
RowSource zero_rows() {
  RowSource source;
  source.grouped = [](Range rows, GroupedRows& out) {
    out.reshape(WeightFormat::q8_0, rows.size(), 0, kK);
    std::fill(out.codes.begin(), out.codes.end(), uint8_t{128});
    std::fill(out.scales.begin(), out.scales.end(), uint16_t{0});
  };
  return source;
}

}  // namespace

double measure_rank_speed(Device& device) {
  using Clock = std::chrono::steady_clock;
  Workspace workspace(device);
  SoloGroup alone;
  Ctx cx{device, workspace, {&alone}, {}};
  const WeightPtr weight = device.pack(
      {"speed", WeightFormat::q8_0, kRows, KPlan(WeightFormat::q8_0, kK), Tier::int8}, zero_rows());
  Tensor x = workspace.tensor({1, kK});
  std::fill_n(x.f32(), kK, 1.0F);
  const Activations codes = activations_for(cx, x, {weight.get()});
  std::vector<double> rounds;
  for (double all = 0; all < kSeconds || rounds.size() < kFewestRounds;) {
    const Clock::time_point start = Clock::now();
    matmul(cx, codes, {Term{weight.get(), {}}});
    device.join();
    rounds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    all += rounds.back();
  }
  std::nth_element(rounds.begin(), rounds.begin() + rounds.size() / 2, rounds.end());
  return static_cast<double>(weight->bytes()) / rounds[rounds.size() / 2];
}

}  // namespace colonnade
