#include "colonnade/device/cpu_commands.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/random.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/base/partition.h"
#include "colonnade/device/cpu_weight.h"
#include "colonnade/device/devices.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 11;
const int kThreads[] = {1, 2, 3, 7};

CpuWeight empty_weight(Tier tier, const KCut& cut) {
  WeightArena arena;
  return CpuWeight(WeightSpec{"w", WeightFormat::q4_0, 16, KPlan(WeightFormat::q4_0, cut), tier},
                   arena);
}

TEST(Codes, PartsOfAReplicaDoNotOverlapAndReplicasFollowOneAnother) {
  for (Tier tier : {Tier::int8, Tier::int15}) {
    const CpuWeight weight = empty_weight(tier, KCut{160, {0, 160}, 80});  // 8 blocks
    constexpr int64_t kTokens = 3;
    const int64_t bytes = codes_bytes_for(weight, kTokens);
    std::vector<std::byte> memory(static_cast<size_t>(2 * bytes));
    const ActivationsRef ref{nullptr, memory.data(), &weight, kTokens, 160, 2};
    const kernels::CodesView first = codes_view(ref, 0);
    const kernels::CodesView second = codes_view(ref, 1);
    EXPECT_EQ(first.blocks, 8);
    EXPECT_EQ(first.tokens, kTokens);
    EXPECT_EQ(first.lo != nullptr, tier == Tier::int15);
    const int64_t cells = 8 * kTokens;
    const auto* hi_end = reinterpret_cast<const std::byte*>(first.hi + cells * 32);
    EXPECT_LE(hi_end, reinterpret_cast<const std::byte*>(first.scale));
    EXPECT_LE(static_cast<const void*>(first.scale + cells), first.scaled_sum);
    EXPECT_LE(static_cast<const void*>(first.scaled_sum + cells), first.half_sums);
    EXPECT_LE(static_cast<const void*>(first.half_sums + 2 * cells), second.hi);
    EXPECT_EQ(reinterpret_cast<const std::byte*>(second.hi) - memory.data(), bytes);
  }
}

TEST(Commands, SelectRowsCopiesThemInTheOrderAskedFor) {
  const std::vector<float> x{0, 1, 2, 3, 4, 5};
  const std::vector<int32_t> rows{2, 0, 2};
  for (int threads : kThreads) {
    const auto device = make_device({.threads = threads});
    std::vector<float> y(6);
    device->launch(SelectRowsCommand{x.data(), rows.data(), y.data(), 3, 2}, Sync::meet);
    device->join();
    EXPECT_EQ(y, (std::vector<float>{4, 5, 0, 1, 4, 5}));
  }
}

/// Products of three weights of different formats side by side.
std::vector<float> joined_product(int threads, int64_t paired_rows) {
  const auto device = make_device({.threads = threads});
  constexpr int64_t kTokens = 5, kK = 768, kCols = 150 + 40 + 70;
  const WeightFormat formats[] = {WeightFormat::q4_k, WeightFormat::q6_k, WeightFormat::q8_0};
  const int64_t rows[] = {150, 40, 70};
  std::vector<test::TestWeight> weights;
  const std::vector<float> x = test::random_floats(kSeed, kTokens * kK);
  std::vector<float> y(kTokens * kCols, NAN);
  MatmulCommand command;
  int64_t column = 0;
  for (int i = 0; i < 3; ++i) {
    weights.push_back(test::random_weight(*device, kSeed + 1, formats[i], rows[i], kK, Tier::int8));
    command.parts[i].weight = weights.back().packed.get();
    command.parts[i].y = y.data() + column;
    command.parts[i].stride = kCols;
    column += rows[i];
  }
  std::vector<std::byte> codes(
      static_cast<size_t>(device->codes_bytes(*weights[0].packed, kTokens)));
  command.count = 3;
  command.paired_rows = paired_rows;
  command.x = {nullptr, codes.data(), weights[0].packed.get(), kTokens, kK, 1};
  device->launch(QuantizeCommand{x.data(), command.x}, Sync::meet);
  device->launch(command, Sync::meet);
  device->join();
  return y;
}

TEST(Commands, ProductsHaveTheSameBitsForEveryDivision) {
  const std::vector<float> expected = joined_product(1, 0);
  EXPECT_EQ(std::count_if(expected.begin(), expected.end(), [](float v) { return std::isnan(v); }),
            0);
  for (int threads : kThreads) {
    for (int64_t paired : {0, 32, 64}) {
      EXPECT_TRUE(test::same_bits(joined_product(threads, paired), expected))
          << threads << " threads, pairs of " << paired;
    }
  }
}

TEST(Commands, EveryWorkerFillsItsOwnReplicaWithTheSameBits) {
  constexpr int64_t kTokens = 2, kK = 96, kWorkers = 3;
  const auto device = make_device({.threads = kWorkers});
  const test::TestWeight weight =
      test::random_weight(*device, kSeed, WeightFormat::q8_0, 16, kK, Tier::int15);
  const std::vector<float> x = test::random_floats(kSeed, kTokens * kK);
  const std::vector<float> norm = test::random_floats(kSeed + 1, kK);
  const int64_t bytes = device->codes_bytes(*weight.packed, kTokens);
  std::vector<std::byte> codes(static_cast<size_t>(bytes * kWorkers));
  std::vector<float> values(kWorkers * kTokens * kK);
  device->launch(
      NormCommand{.x = x.data(),
                  .weight = norm.data(),
                  .eps = 1e-5f,
                  .out = {values.data(), codes.data(), weight.packed.get(), kTokens, kK, kWorkers}},
      Sync::meet);
  device->join();
  for (int64_t w = 1; w < kWorkers; ++w) {
    EXPECT_TRUE(std::equal(codes.begin(), codes.begin() + bytes, codes.begin() + w * bytes));
    EXPECT_TRUE(std::equal(values.begin(), values.begin() + kTokens * kK,
                           values.begin() + w * kTokens * kK));
  }
}

TEST(Commands, FinishedSumsAreTheIntegersOfAllRanksScaledPlusBiasAndResidual) {
  // Columns 5 .. 41 of 50, of one token (divided by columns) and of three.
  constexpr int64_t kRanks = 3, kCols = 37, kStride = 50, kFirst = 5;
  for (const int64_t tokens : {1, 3}) {
    test::Random random(kSeed);
    std::vector<std::vector<int64_t>> sums(kRanks);
    std::vector<std::span<const std::byte>> parts;
    for (std::vector<int64_t>& rank : sums) {
      for (int64_t i = 0; i < tokens * kCols; ++i)
        rank.push_back(random.integer(-(int64_t{1} << 50), int64_t{1} << 50));
      rank.push_back(0);
      parts.push_back(std::as_bytes(std::span(rank)));
    }
    const std::vector<float> bias = test::random_floats(1, kCols, 100.0f);
    const std::vector<float> residual = test::random_floats(2, tokens * kStride, 100.0f);
    const CpuWeight weight = empty_weight(Tier::int8, KCut{32, {0, 32}, 32});
    std::vector<float> expected = residual;
    for (int64_t i = 0; i < tokens * kCols; ++i) {
      const auto at = static_cast<size_t>(i);
      const auto value = static_cast<float>(
          static_cast<double>(sums[0][at] + sums[1][at] + sums[2][at]) * 0x1p-36);
      float& y = expected[static_cast<size_t>(i / kCols * kStride + kFirst + i % kCols)];
      y = value + bias[static_cast<size_t>(i % kCols)] + y;
    }
    for (int threads : kThreads) {
      const auto device = make_device({.threads = threads});
      std::vector<float> y = residual;
      FinishSumsCommand command{.rows = {0, tokens},
                                .y = y.data() + kFirst,
                                .y_stride = kStride,
                                .parts = parts.data(),
                                .bias = bias.data(),
                                .residual = y.data() + kFirst,
                                .stride = kStride,
                                .ranks = kRanks,
                                .tokens = tokens,
                                .cols = kCols,
                                .weight = &weight};
      device->launch(command, Sync::meet);
      device->join();
      EXPECT_TRUE(test::same_bits(y, expected)) << threads << " threads, " << tokens << " tokens";
      // The last token alone, packed.
      std::vector<float> last(kCols);
      command.rows = {tokens - 1, tokens};
      command.y = last.data();
      command.y_stride = kCols;
      command.residual = residual.data() + (tokens - 1) * kStride + kFirst;
      device->launch(command, Sync::meet);
      device->join();
      EXPECT_TRUE(test::same_bits(
          last, std::span(expected).subspan((tokens - 1) * kStride + kFirst, kCols)));
    }
  }
}

TEST(Commands, GatheredRowsAreWhatEachRankSaysOfItsTokens) {
  constexpr int64_t kRanks = 3, kTokens = 7, kCols = 5, kStride = 9, kFirst = 2, kOffset = 64;
  std::vector<float> expected(kTokens * kStride, -1.0f);
  std::vector<std::vector<std::byte>> said(kRanks);
  std::vector<std::span<const std::byte>> parts;
  for (int64_t r = 0; r < kRanks; ++r) {
    const Range tokens = even_part(kTokens, kRanks, r);
    std::vector<float> rows;
    for (int64_t t = tokens.begin; t < tokens.end; ++t) {
      for (int64_t c = 0; c < kCols; ++c) {
        rows.push_back(static_cast<float>(100 * t + c));
        expected[static_cast<size_t>(t * kStride + kFirst + c)] = rows.back();
      }
    }
    auto& bytes = said[static_cast<size_t>(r)];
    bytes.resize(kOffset);
    const auto* first = reinterpret_cast<const std::byte*>(rows.data());
    bytes.insert(bytes.end(), first, first + rows.size() * sizeof(float));
    parts.push_back(bytes);
  }
  for (int threads : kThreads) {
    const auto device = make_device({.threads = threads});
    std::vector<float> y(kTokens * kStride, -1.0f);
    device->launch(GatherRowsCommand{.y = y.data() + kFirst,
                                     .parts = parts.data(),
                                     .offset = kOffset,
                                     .ranks = kRanks,
                                     .tokens = kTokens,
                                     .cols = kCols,
                                     .stride = kStride},
                   Sync::meet);
    device->join();
    EXPECT_TRUE(test::same_bits(y, expected)) << threads << " threads";
  }
}

TEST(Commands, AProductOfSomeRowsIsThoseColumnsOfTheWhole) {
  constexpr int64_t kTokens = 3, kRows = 200, kK = 64;
  for (const WeightFormat format : {WeightFormat::q4_1, WeightFormat::bf16, WeightFormat::f32}) {
    for (int threads : kThreads) {
      const auto device = make_device({.threads = threads});
      const test::TestWeight w = test::random_weight(*device, kSeed, format, kRows, kK, Tier::f32);
      std::vector<float> x = test::random_floats(1, kTokens * kK);
      MatmulCommand command;
      command.x = {.values = x.data(), .tokens = kTokens, .k = kK};
      command.count = 1;
      std::vector<float> whole(kTokens * kRows);
      command.parts[0] = {.weight = w.packed.get(), .y = whole.data(), .stride = kRows};
      device->launch(command, Sync::meet);
      for (const Range rows : {Range{0, 64}, Range{64, 192}, Range{128, 200}}) {
        std::vector<float> some(static_cast<size_t>(kTokens * rows.size()));
        command.parts[0].rows = rows;
        command.parts[0].y = some.data();
        command.parts[0].stride = rows.size();
        device->launch(command, Sync::meet);
        device->join();
        for (int64_t t = 0; t < kTokens; ++t) {
          EXPECT_TRUE(
              test::same_bits(std::span(some).subspan(static_cast<size_t>(t * rows.size()),
                                                      static_cast<size_t>(rows.size())),
                              std::span(whole).subspan(static_cast<size_t>(t * kRows + rows.begin),
                                                       static_cast<size_t>(rows.size()))))
              << name_of(format) << " rows from " << rows.begin;
        }
      }
    }
  }
}

}  // namespace
}  // namespace colonnade
