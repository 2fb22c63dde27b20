// Reads the panels back by the layout's definition, element by element, and compares with the rows
// that went in. Source: kernels/p16.h, docs/numerics.md section 7.
#include "colonnade/device/pack_panels.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/bits.h"
#include "tests/support/random.h"
#include "tests/support/weights.h"
#include <gtest/gtest.h>

#include "colonnade/device/cpu_weight.h"
#include "colonnade/kernels/p16.h"

namespace colonnade {
namespace {

constexpr uint64_t kSeed = 20261130;

/// Code of element `k` (0..31) of row `r` (0..15) of a block.
int code_at(const uint8_t* block, const kernels::P16Format& f, int r, int k) {
  const int bits = f.bits;
  if (kernels::float_codes(f)) return block[64 * (k / 4) + 32 * (k % 4 / 2) + 2 * r + k % 2];
  if (bits == 8) return block[64 * (k / 4) + 4 * r + k % 4];
  if (bits < 4) {
    const int low = block[64 * (k / 16) + 4 * r + k % 4] >> (2 * (k % 16 / 4)) & 3;
    return bits == 2 ? low : low | (block[128 + 4 * r + k % 4] >> (k / 4) & 1) << 2;
  }
  const uint8_t nibbles = block[64 * (k / 8) + 4 * r + k % 4];
  int code = k % 8 < 4 ? nibbles & 15 : nibbles >> 4;
  const uint8_t* plane = block + 256;
  if (bits == 5) code |= (plane[4 * r + k % 4] >> (k / 4) & 1) << 4;
  if (bits == 6) code |= (plane[64 * (k / 16) + 4 * r + k % 4] >> (2 * (k % 16 / 4)) & 3) << 4;
  return code;
}

/// Bits of scale `index` of those at `from`.
uint32_t bits_at(const uint8_t* from, int64_t index, int64_t width) {
  uint32_t value = 0;
  std::memcpy(&value, from + width * index, static_cast<size_t>(width));
  return value;
}

/// What one row's run of a packed panel says.
struct ReadRun {
  std::vector<int> codes;  // [32]
  uint32_t scale = 0, offset = 0;
  uint32_t second_scale = 0;     // of the second sub-group, one level
  std::vector<int> sub_scales;   // one or two
  std::vector<int> sub_offsets;  // none, one or two
};

/// All runs of row `r` of a panel, scales that stand behind a segment filled in.
std::vector<ReadRun> read_row(const uint8_t* at, WeightFormat format, const kernels::P16Format& f,
                              const KPlan& plan, int r) {
  std::vector<ReadRun> runs;
  const int64_t width = scale_bytes(grouped_format(format).scales);
  const bool behind_segment = super_block(format) != 0;
  const auto read_scales = [&](ReadRun& run, const uint8_t* scales) {
    run.scale = bits_at(scales, r, width);
    if (f.offset) run.offset = bits_at(scales + 16 * width, r, width);
    if (kernels::two_scales(f)) run.second_scale = bits_at(scales + 16 * width, r, width);
  };
  for (const KSegment& segment : plan.segments()) {
    const size_t first = runs.size();
    for (int b = 0; b < segment.blocks; ++b) {
      ReadRun run;
      for (int k = 0; k < 32; ++k) run.codes.push_back(code_at(at, f, r, k));
      const uint8_t* behind = at + f.bits * 64;
      if (!behind_segment) read_scales(run, behind);
      for (int s = 0; f.levels == 2 && s < f.subgroups; ++s) {
        const bool pairs = f.subgroups == 2 && f.bits < 4;
        const auto byte = static_cast<int8_t>(pairs ? behind[2 * r + s] : behind[16 * s + r]);
        run.sub_scales.push_back(pairs && f.offset ? byte & 15 : byte);
        if (pairs && f.offset) run.sub_offsets.push_back((byte & 255) >> 4);
      }
      if (f.levels == 2 && f.offset && f.subgroups == 1) run.sub_offsets = {behind[16 + r]};
      runs.push_back(run);
      at += kernels::block_bytes(f);
    }
    if (!behind_segment) continue;
    for (size_t i = first; i < runs.size(); ++i) read_scales(runs[i], at);
    at += 16 * width * (f.offset ? 2 : 1);
  }
  return runs;
}

/// What the rows themselves say about run `run` of row `r`.
ReadRun expected_run(const GroupedRows& rows, const KRun& run, int64_t r) {
  const GroupedFormat f = grouped_format(rows.format);
  ReadRun expected;
  expected.codes.assign(32, f.zero);
  for (int k = 0; k < run.length; ++k) {
    expected.codes[static_cast<size_t>(k)] =
        rows.codes[static_cast<size_t>(r * rows.cols + run.k_begin + k)];
  }
  const int64_t group = r * rows.groups() + rows.group_of(run.k_begin);
  const int64_t outer = f.super == 0 ? group : r * rows.supers() + rows.super_of(run.k_begin);
  expected.scale = bits_at(rows.scales.data(), outer, scale_bytes(f.scales));
  if (f.offset) expected.offset = bits_at(rows.offsets.data(), outer, scale_bytes(f.scales));
  if (f.super == 0 && f.group == 16 && run.length > 16) {
    const int64_t second = r * rows.groups() + rows.group_of(run.k_begin + 16);
    expected.second_scale = bits_at(rows.scales.data(), second, scale_bytes(f.scales));
  }
  if (f.super == 0) return expected;
  for (int begin = 0; begin < 32; begin += f.group) {
    const bool there = begin < run.length;
    const auto sub =
        there ? static_cast<size_t>(r * rows.groups() + rows.group_of(run.k_begin + begin)) : 0;
    expected.sub_scales.push_back(there ? rows.sub_scales[sub] : 0);
    if (f.offset) expected.sub_offsets.push_back(there ? rows.sub_offsets[sub] : 0);
  }
  return expected;
}

void expect_equal(const ReadRun& actual, const ReadRun& expected, const std::string& where) {
  EXPECT_EQ(actual.codes, expected.codes) << where;
  EXPECT_EQ(actual.scale, expected.scale) << where;
  EXPECT_EQ(actual.second_scale, expected.second_scale) << where;
  EXPECT_EQ(actual.offset, expected.offset) << where;
  EXPECT_EQ(actual.sub_scales, expected.sub_scales) << where;
  EXPECT_EQ(actual.sub_offsets, expected.sub_offsets) << where;
}

kernels::P16Format p16(WeightFormat format) {
  WeightArena arena;
  const CpuWeight weight(WeightSpec{"w", format, 1, KPlan(format, 256), Tier::int8}, arena);
  return kernels::p16_format(weight.grouped_view().kind);
}

/// Packs `count` rows with `cut` and reads every run back.
void round_trip(WeightFormat format, int64_t count, const KCut& cut) {
  const KPlan plan(format, cut);
  const kernels::P16Format f = p16(format);
  const GroupedRows rows =
      test::random_grouped_rows(kSeed, format, count, plan.k(), cut.slice.begin);
  WeightArena arena;
  const int64_t bytes = CpuWeight({"w", format, 16, plan, Tier::int8}, arena).panel_bytes();
  for (int64_t first = 0; first < count; first += 16) {
    std::vector<uint8_t> panel(static_cast<size_t>(bytes), 0xee);
    pack_grouped_panel(rows, first, plan, panel.data());
    for (int r = 0; r < 16; ++r) {
      const std::vector<ReadRun> runs = read_row(panel.data(), format, f, plan, r);
      ASSERT_EQ(runs.size(), plan.runs().size());
      for (size_t i = 0; i < runs.size(); ++i) {
        const std::string where = std::string(name_of(format)) + " row " +
                                  std::to_string(first + r) + " run " + std::to_string(i);
        ReadRun expected;
        if (first + r < count) {
          expected = expected_run(rows, plan.runs()[i], first + r);
        } else {
          const auto subs = static_cast<size_t>(f.levels == 1 ? 0 : f.subgroups);
          expected.codes.assign(32, grouped_format(format).zero);
          expected.sub_scales.assign(subs, 0);
          expected.sub_offsets.assign(f.offset ? subs : 0, 0);
        }
        expect_equal(runs[i], expected, where);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(PackPanels, EveryFormatReadsBackByTheLayoutsDefinition) {
  for (WeightFormat format : test::grouped_formats())
    round_trip(format, 32, KCut{768, {0, 768}, 512});
}

TEST(PackPanels, MissingRowsOfTheLastPanelAreZero) {
  for (WeightFormat format : test::grouped_formats())
    round_trip(format, 21, KCut{256, {0, 256}, 512});
}

TEST(PackPanels, ShortRunsOfHeadLeavesArePaddedWithZeroCodes) {
  for (WeightFormat format : test::grouped_formats())
    round_trip(format, 16, KCut{1280, {0, 1280}, 80});
}

TEST(PackPanels, LeavesInsideSuperBlocksKeepTheScale) {
  for (WeightFormat format : test::grouped_formats())
    round_trip(format, 16, KCut{1536, {0, 1536}, 32});
}

TEST(PackPanels, SlicesThatBeginInsideASuperBlockKeepTheScale) {
  for (WeightFormat format : test::grouped_formats())
    round_trip(format, 16, KCut{1536, {96, 544}, 32});
  for (WeightFormat format : test::grouped_formats())
    round_trip(format, 16, KCut{1280, {240, 560}, 80});
}

TEST(PackPanels, LeavesThatCutASubGroupKeepItsScaleOnBothSides) {
  for (WeightFormat format : test::grouped_formats())
    round_trip(format, 16, KCut{768, {0, 768}, 72});
}

/// The rows with their codes in this order, among other bytes.
GroupedRows with_raw_codes(GroupedRows rows, CodeOrder order, int block_codes) {
  const int codes_at = 6;
  const int half = order == CodeOrder::halves_32 ? 16 : 32;
  const int bytes = order == CodeOrder::flipped ? block_codes : block_codes / 2;
  const int64_t row_bytes = (rows.cols + block_codes - 1) / block_codes * (codes_at + bytes + 3);
  rows.raw_bytes.assign(static_cast<size_t>(rows.rows * row_bytes), 0);
  for (int64_t r = 0; r < rows.rows; ++r) {
    for (int64_t k = 0; k < rows.cols; ++k) {
      const uint8_t code = rows.codes[static_cast<size_t>(r * rows.cols + k)];
      uint8_t* block = rows.raw_bytes.data() + r * row_bytes +
                       k / block_codes * (codes_at + bytes + 3) + codes_at;
      const int64_t i = k % block_codes;
      if (order == CodeOrder::flipped) {
        block[i] = code ^ 0x80;
      } else {
        block[i / (2 * half) * half + i % half] |=
            static_cast<uint8_t>(i % (2 * half) < half ? code : code << 4);
      }
    }
  }
  std::ranges::fill(rows.codes, 0xee);
  rows.raw = {order, block_codes, codes_at + bytes + 3, codes_at, row_bytes, rows.raw_bytes.data()};
  return rows;
}

TEST(PackPanels, CodesAsAFileHasThemGiveTheSamePanels) {
  struct Case {
    WeightFormat format;
    CodeOrder order;
    int block_codes;
  };
  for (const Case& c : {Case{WeightFormat::q8_0, CodeOrder::flipped, 32},
                        Case{WeightFormat::q8_k, CodeOrder::flipped, 256},
                        Case{WeightFormat::q4_0, CodeOrder::halves_32, 32},
                        Case{WeightFormat::q4_1, CodeOrder::halves_32, 32},
                        Case{WeightFormat::iq4_xs, CodeOrder::halves_32, 256},
                        Case{WeightFormat::q4_k, CodeOrder::halves_64, 256}}) {
    for (const int64_t count : {1, 16, 21}) {
      for (const KCut& cut : {KCut{768, {0, 768}, 512}, KCut{1536, {256, 1120}, 32}}) {
        const KPlan plan(c.format, cut);
        const GroupedRows rows =
            test::random_grouped_rows(kSeed, c.format, count, plan.k(), cut.slice.begin);
        const GroupedRows raw = with_raw_codes(rows, c.order, c.block_codes);
        WeightArena arena;
        const auto bytes = static_cast<size_t>(
            CpuWeight({"w", c.format, 16, plan, Tier::int8}, arena).panel_bytes());
        for (int64_t first = 0; first < count; first += 16) {
          std::vector<uint8_t> expected(bytes, 0xee), panel(bytes, 0xee);
          pack_grouped_panel(rows, first, plan, expected.data());
          pack_grouped_panel(raw, first, plan, panel.data());
          ASSERT_EQ(panel, expected) << name_of(c.format) << " " << count << " " << first;
        }
      }
    }
  }
}

TEST(PackPanels, F32PanelsAreKBy16) {
  for (int64_t k : {1, 15, 16, 100}) {
    for (int64_t count : {1, 9, 16}) {
      const std::vector<float> rows = test::random_floats(kSeed, count * k);
      std::vector<float> panel(static_cast<size_t>(k * 16), -1.0f);
      pack_f32_panel(rows.data(), count, k, panel.data());
      for (int64_t i = 0; i < k; ++i) {
        for (int64_t r = 0; r < 16; ++r) {
          const float expected = r < count ? rows[static_cast<size_t>(r * k + i)] : 0.0f;
          ASSERT_EQ(panel[static_cast<size_t>(i * 16 + r)], expected) << k << " " << r << " " << i;
        }
      }
    }
  }
}

TEST(PackPanels, PairPanelsInterleaveFourPanelsAndBeginLeavesOnANewLine) {
  test::Random random(kSeed);
  for (int64_t leaf : {7, 512}) {
    for (int64_t count : {1, 17, 64}) {
      const int64_t k = leaf == 7 ? 25 : 600;
      const KPlan plan(WeightFormat::bf16, KCut{k, {0, k}, leaf});
      std::vector<uint16_t> rows(static_cast<size_t>(count * k));
      for (uint16_t& value : rows) value = static_cast<uint16_t>(random.integer(1, 65535));
      WeightArena arena;
      const CpuWeight weight(WeightSpec{"w", WeightFormat::bf16, 64, plan, Tier::f32}, arena);
      std::vector<uint32_t> panels(static_cast<size_t>(weight.bytes() / 4), 0);
      pack_pair_panels(rows.data(), count, plan, panels.data());

      std::vector<uint16_t> expected(panels.size() * 2, 0);
      int64_t line = 0;
      int64_t begin = 0;
      for (int64_t end : plan.leaf_ends()) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t in_leaf = i - begin;
          for (int64_t r = 0; r < count; ++r) {
            const int64_t cell = ((line + in_leaf / 2) * 4 + r / 16) * 16 + r % 16;
            expected[static_cast<size_t>(cell * 2 + in_leaf % 2)] =
                rows[static_cast<size_t>(r * k + i)];
          }
        }
        line += (end - begin + 1) / 2;
        begin = end;
      }
      EXPECT_EQ(std::memcmp(panels.data(), expected.data(), panels.size() * 4), 0)
          << leaf << " " << count;
    }
  }
}

}  // namespace
}  // namespace colonnade
