#include "colonnade/device/cpu_device.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/random.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/device/devices.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 7;

std::unique_ptr<Device> device_of(int threads) { return make_device({.threads = threads}); }

/// All rows of a packed weight as the device looks them up.
std::vector<float> looked_up(Device& device, const Weight& weight) {
  std::vector<int32_t> ids(static_cast<size_t>(weight.rows()));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
  std::vector<float> y(static_cast<size_t>(weight.rows() * weight.k()));
  device.launch(EmbedCommand{&weight, 0, ids.data(), y.data(), weight.rows()}, Sync::meet);
  device.join();
  return y;
}

TEST(CpuDevice, APackedWeightReadsBackAsTheRowsThatWentIn) {
  std::vector<WeightFormat> formats = test::grouped_formats();
  formats.insert(formats.end(), {WeightFormat::f32, WeightFormat::bf16, WeightFormat::f16});
  for (int threads : {1, 3}) {
    const auto device = device_of(threads);
    for (WeightFormat format : formats) {
      for (int64_t rows : {1, 16, 150}) {
        const test::TestWeight weight =
            test::random_weight(*device, kSeed, format, rows, 768, Tier::f32);
        EXPECT_EQ(looked_up(*device, *weight.packed), weight.values)
            << name_of(format) << " " << rows << " rows, " << threads << " threads";
      }
    }
  }
}

TEST(CpuDevice, PackingTakesEveryRowOnceAndNeverTheWholeWeight) {
  const auto device = device_of(2);
  constexpr int64_t kRows = 4096, kK = 1024;
  std::atomic<int64_t> taken{0}, largest{0};
  RowSource source;
  source.dense = [&](Range rows, std::byte* out) {
    taken += rows.size();
    largest = std::max<int64_t>(largest, rows.size());
    std::memset(out, 0, static_cast<size_t>(rows.size() * kK * 2));
  };
  device->pack({"w", WeightFormat::bf16, kRows, KPlan(WeightFormat::bf16, kK), Tier::f32}, source);
  EXPECT_EQ(taken, kRows);
  EXPECT_LE(largest * kK * 2, 1 << 20);
}

TEST(CpuDevice, WhatASourceThrowsComesOut) {
  const auto device = device_of(2);
  RowSource source;
  source.dense = [](Range rows, std::byte*) {
    CN_CHECK(rows.begin < 512, "model.gguf: read failed");
  };
  const WeightSpec spec{"w", WeightFormat::f32, 1024, KPlan(WeightFormat::f32, 64), Tier::f32};
  EXPECT_THROW(device->pack(spec, source), Error);
  source.dense = [](Range, std::byte*) {};
  EXPECT_NO_THROW(device->pack(spec, source));
}

TEST(CpuDevice, RefusesSpecsThatMakeNoSense) {
  const auto device = device_of(1);
  const RowSource dense = test::source_of(std::vector<std::byte>(64 * 64 * 4), 64 * 4);
  const KPlan plan(WeightFormat::f32, 64);
  EXPECT_THROW(device->pack({"w", WeightFormat::f32, 64, plan, Tier::int8}, dense), Error);
  EXPECT_THROW(device->pack({"w", WeightFormat::q4_0, 64, plan, Tier::int8}, dense), Error);
  EXPECT_THROW(
      device->pack({"w", WeightFormat::q4_0, 64, KPlan(WeightFormat::q4_0, 64), Tier::int8}, dense),
      Error);
  const RowSource other = test::source_of(test::random_grouped_rows(1, WeightFormat::q4_1, 64, 64));
  EXPECT_THROW(
      device->pack({"w", WeightFormat::q4_0, 64, KPlan(WeightFormat::q4_0, 64), Tier::int8}, other),
      Error);
}

std::string fault_of(Device& device) {
  try {
    device.join();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CpuDevice, AnActivationThatIsNotFiniteNamesLayerAndRowAndTheDeviceGoesOn) {
  for (int threads : {1, 2, 3}) {
    const auto device = device_of(threads);
    constexpr int64_t kTokens = 20, kK = 64;
    const WeightSpec spec{"blk.3.ffn_down", WeightFormat::q8_0, 16, KPlan(WeightFormat::q8_0, kK),
                          Tier::int8};
    const test::TestWeight weight = test::random_weight(*device, kSeed, spec);
    std::vector<float> x = test::random_floats(kSeed, kTokens * kK);
    std::vector<std::byte> codes(static_cast<size_t>(device->codes_bytes(*weight.packed, kTokens)));
    QuantizeCommand command;
    command.x = x.data();
    command.out = {nullptr, codes.data(), weight.packed.get(), kTokens, kK, 1};
    x[17 * kK + 5] = std::numeric_limits<float>::infinity();
    x[19 * kK + 1] = std::nanf("");
    device->launch(command, Sync::meet);
    EXPECT_EQ(fault_of(*device), "layer blk.3.ffn_down: token 17: activation is not finite");
    x[17 * kK + 5] = x[19 * kK + 1] = 0.0f;
    device->launch(command, Sync::meet);
    EXPECT_EQ(fault_of(*device), "");
  }
}

TEST(CpuDevice, EpochsCountMeetingsAndJoins) {
  const auto device = device_of(2);
  const int64_t before = device->epoch();
  const float x[2] = {1.0f, 2.0f};
  const int32_t rows[1] = {1};
  float y[1];
  const SelectRowsCommand command{.x = x, .rows = rows, .y = y, .count = 1, .cols = 1};
  device->launch(command, Sync::meet);
  device->launch(command, Sync::same_range);
  EXPECT_EQ(device->epoch() - before, 1);
  device->join();
  EXPECT_EQ(device->epoch() - before, 2);
  EXPECT_EQ(y[0], 2.0f);
}

}  // namespace
}  // namespace colonnade
