// Products: the scalar table against the definition of docs/numerics.md written out here, the other
// tables against the scalar one.
#include <cmath>

#include "tests/kernels/random_operands.h"
#include <gtest/gtest.h>

namespace colonnade::kernels::test {
namespace {

float half(const uint8_t* p) {
  uint16_t h;
  std::memcpy(&h, p, 2);
  const float magnitude =
      (h & 0x7c00) == 0 ? std::ldexp(static_cast<float>(h & 1023), -24)
                        : std::ldexp(static_cast<float>(1024 + (h & 1023)), (h >> 10 & 31) - 25);
  return (h & 0x8000) != 0 ? -magnitude : magnitude;
}

float scale_at(const uint8_t* p, ScaleType type, int index) {
  if (type == ScaleType::f16) return half(p + 2 * index);
  uint32_t word = 0;
  if (type == ScaleType::f32) std::memcpy(&word, p + 4 * index, 4);
  if (type == ScaleType::bf16)
    word = static_cast<uint32_t>(p[2 * index] | p[2 * index + 1] << 8) << 16;
  return __builtin_bit_cast(float, word);
}

/// One block of one row, by the layout's definition.
struct Unpacked {
  int value[32];     // code - zero, or the table's entry
  float number[32];  // the same, or what a float code is
  float scale[2];    // of the halves; or d, twice
  float offset;      // or -dmin
  int sub[2], minimum[2];
};

int code_at(const P16Format& f, const uint8_t* block, int row, int k) {
  if (float_codes(f)) return block[64 * (k / 4) + 32 * (k % 4 / 2) + 2 * row + k % 2];
  const int byte = 4 * row + k % 4;
  if (f.bits == 8) return block[64 * (k / 4) + byte];
  if (f.bits < 4) {
    const int low = block[64 * (k / 16) + byte] >> 2 * (k % 16 / 4) & 3;
    return f.bits == 2 ? low : low + (block[128 + byte] >> (k / 4) & 1) * 4;
  }
  const int nibbles = block[64 * (k / 8) + byte];
  int code = k % 8 < 4 ? nibbles & 15 : nibbles >> 4;
  if (f.bits == 5) code += (block[256 + byte] >> (k / 4) & 1) * 16;
  if (f.bits == 6) code += (block[256 + 64 * (k / 16) + byte] >> 2 * (k % 16 / 4) & 3) * 16;
  return code;
}

float e4m3(int code) {
  const int exponent = code >> 3 & 15;
  const int mantissa = exponent == 0 ? code & 7 : (code & 7) + 8;
  const float magnitude =
      std::ldexp(static_cast<float>(mantissa), (exponent == 0 ? 1 : exponent) - 10);
  return code > 127 ? -magnitude : magnitude;
}

Unpacked unpack(const GroupedView& w, const uint8_t* block, const uint8_t* tail, int row) {
  constexpr int kIq4[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  constexpr int kE2m1[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  const P16Format f = p16_format(w.kind);
  Unpacked u = {};
  for (int k = 0; k < 32; ++k) {
    const int code = code_at(f, block, row, k);
    u.value[k] = f.table == CodeTable::iq4    ? kIq4[code]
                 : f.table == CodeTable::e2m1 ? kE2m1[code]
                                              : code - f.zero;
    u.number[k] = float_codes(f) ? e4m3(code) : static_cast<float>(u.value[k]);
  }
  const uint8_t* p = block + 2 * 32 * f.bits;
  u.sub[0] = u.sub[1] = u.minimum[0] = u.minimum[1] = 1;
  if (f.place == ScalePlace::block_e8m0) {
    u.scale[0] = u.scale[1] = std::ldexp(1.0F, p[row] - (float_codes(f) ? 127 : 128));
    return u;
  }
  if (f.place == ScalePlace::block_e4m3) {
    for (int s = 0; s < 2; ++s) u.scale[s] = 0.5F * e4m3(p[16 * s + row]);
    return u;
  }
  const bool behind_segment = f.place == ScalePlace::segment;
  const ScaleType type = behind_segment ? w.scales : ScaleType::f16;
  const uint8_t* scales = behind_segment ? tail : p;
  u.scale[0] = u.scale[1] = scale_at(scales, type, row);
  if (f.offset) u.offset = scale_at(scales, type, 16 + row);
  if (f.levels == 1) return u;
  u.offset = -u.offset;
  for (int s = 0; s < 2; ++s) {
    if (f.subgroups == 1) {
      u.sub[s] = static_cast<int8_t>(p[row]);
      u.minimum[s] = p[16 + row];
    } else if (f.bits > 3) {
      u.sub[s] = static_cast<int8_t>(p[16 * s + row]);
    } else {
      u.sub[s] = f.offset ? p[2 * row + s] & 15 : static_cast<int8_t>(p[2 * row + s]);
      u.minimum[s] = p[2 * row + s] >> 4;
    }
  }
  return u;
}

struct Reference {
  std::vector<float> y;       // [tokens, rows], leaves added in f32
  std::vector<int64_t> sums;  // [tokens, rows], leaves added as integers
};

enum class Tier { integers, f32 };

/// The definition: per leaf one chain from zero over the runs in K order.
Reference reference_grouped(const GroupedView& w, const CodesView* codes, const float* x,
                            int64_t tokens) {
  const P16Format f = p16_format(w.kind);
  Reference r{std::vector<float>(tokens * w.rows), std::vector<int64_t>(tokens * w.rows)};
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t row = 0; row < w.rows; ++row) {
      const uint8_t* p = w.panels + row / kLanes * w.panel_bytes;
      float total = 0, acc = 0;
      int64_t b = 0, sum = 0;
      bool first = true;
      for (int s = 0; s < w.plan.segment_count; ++s) {
        const uint8_t* tail = p + w.plan.segments[s].blocks * block_bytes(f);
        for (; p != tail; p += block_bytes(f), ++b) {
          const Unpacked u = unpack(w, p, tail, static_cast<int>(row % kLanes));
          const Run run = w.plan.runs[b];
          if (codes == nullptr) {
            for (int i = 0; i < run.length; ++i) {
              const float scale = u.scale[i / 16] * static_cast<float>(u.sub[i / 16]);
              const float offset = u.offset * static_cast<float>(u.minimum[i / 16]);
              const float weight = std::fma(scale, u.number[i], offset);
              acc = std::fma(weight, x[t * w.plan.k + run.k_begin + i], acc);
            }
            continue;
          }
          int64_t integer[2] = {}, q_sum = 0, minimums = 0;
          const int64_t at = b * tokens + t;
          for (int i = 0; i < run.length; ++i) {
            const int q = codes->lo != nullptr
                              ? 128 * codes->hi[32 * at + i] + codes->lo[32 * at + i]
                              : codes->hi[32 * at + i];
            integer[two_scales(f) ? i / 16 : 0] += int64_t{u.sub[i / 16]} * u.value[i] * q;
            minimums += int64_t{u.minimum[i / 16]} * q;
            q_sum += q;
          }
          EXPECT_LE(std::abs(integer[0]), int64_t{INT32_MAX});
          const float scale = codes->scale[at];
          for (int s = 0; s < (two_scales(f) ? 2 : 1); ++s) {
            acc = std::fma(static_cast<float>(static_cast<int32_t>(integer[s])), u.scale[s] * scale,
                           acc);
          }
          if (f.offset && f.subgroups == 2) {
            acc = std::fma(static_cast<float>(minimums), u.offset * scale, acc);
          } else if (f.offset) {
            const float offset = u.offset * static_cast<float>(u.minimum[0]);
            acc = std::fma(offset, scale * static_cast<float>(q_sum), acc);
          }
        }
        p += segment_tail_bytes(f, w.scales);
        if (w.plan.segments[s].ends_leaf == 0) continue;
        total = first ? acc : total + acc;
        sum += std::llrint(std::ldexp(static_cast<double>(acc), 36));
        first = false;
        acc = 0;
      }
      r.y[t * w.rows + row] = total;
      r.sums[t * w.rows + row] = sum;
    }
  }
  return r;
}

float finished(int64_t sum) {
  return static_cast<float>(std::ldexp(static_cast<double>(sum), -36));
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<Plan> plans() {
  return {make_plan({std::vector<int32_t>(16, 32), {32, 32, 32}},
                    8),  // 512-wide leaves, a short last one
          make_plan(std::vector<std::vector<int32_t>>(9, {32, 32}), 8),  // heads of 64
          make_plan(std::vector<std::vector<int32_t>>(5, {32}), 8),      // leaves of one block
          make_plan({std::vector<int32_t>(19, 32), {32}}, 8),  // a leaf longer than two chunks
          make_plan({{32, 32, 16}, {16, -16, 16, -16, 16}, {32, 32, 16}},
                    2)};  // heads of 80 over groups of 32
}

struct Product {
  std::vector<float> y;
  std::vector<int64_t> sums;
  int64_t bad = 0;
};

/// Every type of scales occurs with affine formats, Q8_K has f32.
ScaleType scales_of(GroupedKind kind) {
  const P16Format f = p16_format(kind);
  if (f.place != ScalePlace::segment || f.levels == 2) return ScaleType::f16;
  return f.offset ? static_cast<ScaleType>(f.bits % 3) : ScaleType::f32;
}

class Matmul : public testing::TestWithParam<int> {
 protected:
  GroupedKind kind() const { return static_cast<GroupedKind>(GetParam()); }
  GroupedOperand operand(std::mt19937& random, int64_t rows, const Plan& plan) const {
    return random_grouped(random, kind(), rows, plan, scales_of(kind()));
  }
  AlignedBytes scratch_{kScratchBytes};
  Scratch scratch() { return {scratch_.data(), kScratchBytes}; }
};

TEST_P(Matmul, EveryTableGivesTheBitsOfTheDefinition) {
  if (float_codes(p16_format(kind()))) return;  // no integer tiers
  std::mt19937 random(7 + GetParam());
  for (const Plan& plan : plans()) {
    for (const int64_t tokens : {1, 2, 3, 6, 13, 37}) {
      for (const bool int15 : {false, true}) {
        const int64_t rows = 16 * 3 + 5;
        GroupedOperand w = operand(random, rows, plan);
        const std::vector<float> x = random_floats(random, tokens * plan.k);
        Codes codes = make_codes(tokens, static_cast<int64_t>(plan.runs.size()), int15);
        const KernelTable& scalar = *table_for(Isa::scalar);
        for (int64_t t = 0; t < tokens; ++t) {
          ASSERT_EQ(scalar.quantize(x.data() + t * plan.k, plan.view(), codes.view, t,
                                    {0, codes.view.blocks}),
                    0);
        }
        const Reference expected = reference_grouped(w.view, &codes.view, nullptr, tokens);
        for (const KernelTable* table : runnable_tables()) {
          std::vector<float> y(tokens * rows);
          table->matmul_grouped(w.view, codes.view, {0, 4}, {.y = y.data(), .stride = rows},
                                scratch());
          ASSERT_TRUE(same_bits(y, expected.y))
              << table->name << " tokens " << tokens << " int15 " << int15 << " K " << plan.k;
          std::vector<int64_t> sums(tokens * rows);
          int64_t bad = 0;
          table->matmul_grouped(
              w.view, codes.view, {0, 4},
              {.sums = sums.data(), .stride = rows, .bad_leaves = &bad, .exact = 1}, scratch());
          ASSERT_EQ(sums, expected.sums)
              << table->name << " tokens " << tokens << " int15 " << int15;
          ASSERT_EQ(bad, 0);
        }
      }
    }
  }
}

TEST_P(Matmul, TierF32IsTheDenseChainOverTheExactWeights) {
  std::mt19937 random(70 + GetParam());
  for (const Plan& plan : plans()) {
    for (const int64_t tokens : {1, 2, 5, 13}) {
      const int64_t rows = 16 * 2 + 3;
      GroupedOperand w = operand(random, rows, plan);
      const std::vector<float> x = random_floats(random, tokens * plan.k);
      const Reference expected = reference_grouped(w.view, nullptr, x.data(), tokens);
      for (const KernelTable* table : runnable_tables()) {
        std::vector<float> y(tokens * rows);
        table->matmul_grouped_f32(w.view, x.data(), plan.k, tokens, {0, 3},
                                  {.y = y.data(), .stride = rows}, scratch());
        ASSERT_TRUE(same_bits(y, expected.y))
            << table->name << " tokens " << tokens << " K " << plan.k;
        // A row looked up and multiplied by a unit vector is the weight itself.
        std::vector<float> row(plan.k);
        table->grouped_row(w.view, rows - 1, row.data());
        float acc = 0, total = 0;
        int64_t k = 0;
        for (size_t leaf = 0; leaf < plan.leaf_ends.size(); ++leaf, acc = 0) {
          for (; k < plan.leaf_ends[leaf]; ++k) acc = std::fma(row[k], x[k], acc);
          total = leaf == 0 ? acc : total + acc;
        }
        ASSERT_EQ(total, expected.y[rows - 1]) << table->name;
      }
    }
  }
}

TEST_P(Matmul, ExactSumsFinishInPlaceWithBiasAndResidual) {
  if (float_codes(p16_format(kind()))) return;  // no integer tiers
  std::mt19937 random(700 + GetParam());
  const Plan plan = plans()[1];
  const int64_t rows = 40, tokens = 3;
  GroupedOperand w = operand(random, rows, plan);
  const std::vector<float> x = random_floats(random, tokens * plan.k),
                           bias = random_floats(random, rows);
  const std::vector<float> residual = random_floats(random, tokens * rows);
  Codes codes = make_codes(tokens, static_cast<int64_t>(plan.runs.size()), false);
  for (int64_t t = 0; t < tokens; ++t) {
    table_for(Isa::scalar)
        ->quantize(x.data() + t * plan.k, plan.view(), codes.view, t, {0, codes.view.blocks});
  }
  const Reference expected = reference_grouped(w.view, &codes.view, nullptr, tokens);
  for (const KernelTable* table : runnable_tables()) {
    std::vector<float> y = residual;
    int64_t bad = 0;
    table->matmul_grouped(w.view, codes.view, {0, 3},
                          {.y = y.data(),
                           .bias = bias.data(),
                           .residual = y.data(),
                           .stride = rows,
                           .bad_leaves = &bad,
                           .exact = 1},
                          scratch());
    for (int64_t i = 0; i < tokens * rows; ++i) {
      const float value = finished(expected.sums[i]);
      ASSERT_EQ(y[i], (value + bias[i % rows]) + residual[i]) << table->name;
    }
  }
}

TEST_P(Matmul, TokensTogetherGiveTheBitsOfTokensAlone) {
  // More tokens than any tile holds, and no multiple of one.
  std::mt19937 random(800 + GetParam());
  const Plan plan = make_plan({{32, 32}, {32, 16}}, 8);
  const int64_t rows = 37, tokens = 1100, blocks = static_cast<int64_t>(plan.runs.size());
  GroupedOperand w = operand(random, rows, plan);
  const std::vector<float> x = random_floats(random, tokens * plan.k);
  for (const KernelTable* table : runnable_tables()) {
    Codes all = make_codes(tokens, blocks, false), one = make_codes(1, blocks, false);
    for (int64_t t = 0; t < tokens; ++t) {
      table->quantize(x.data() + t * plan.k, plan.view(), all.view, t, {0, blocks});
    }
    std::vector<float> y(tokens * rows), y_f32(tokens * rows), alone(rows);
    const bool integers = !float_codes(p16_format(kind()));
    if (integers) {
      table->matmul_grouped(w.view, all.view, {0, 3}, {.y = y.data(), .stride = rows}, scratch());
    }
    table->matmul_grouped_f32(w.view, x.data(), plan.k, tokens, {0, 3},
                              {.y = y_f32.data(), .stride = rows}, scratch());
    for (int64_t t = 0; t < tokens; t += 1 + t % 7) {
      const float* row = x.data() + t * plan.k;
      table->quantize(row, plan.view(), one.view, 0, {0, blocks});
      if (integers) {
        table->matmul_grouped(w.view, one.view, {0, 3}, {.y = alone.data(), .stride = rows},
                              scratch());
        ASSERT_EQ(std::memcmp(alone.data(), &y[t * rows], rows * 4), 0) << table->name << " " << t;
      }
      table->matmul_grouped_f32(w.view, row, plan.k, 1, {0, 3}, {.y = alone.data(), .stride = rows},
                                scratch());
      ASSERT_EQ(std::memcmp(alone.data(), &y_f32[t * rows], rows * 4), 0)
          << table->name << " " << t;
    }
  }
}

/// Powers that f32 has only as denormals, and those that a number of E4M3 may not be shifted by at
/// once.
TEST(MatmulFloats, TheLeastAndTheLargestPowersMultiplyExactly) {
  std::mt19937 random(11);
  const Plan plan = make_plan({{32, 32}, {32, 16}}, 8);
  const int64_t rows = 16 * 3 + 5;
  GroupedOperand w = random_grouped(random, GroupedKind::mxfp8, rows, plan);
  const P16Format f = p16_format(GroupedKind::mxfp8);
  constexpr uint8_t kPowers[] = {0, 1, 20, 127, 246, 247, 248, 254};
  for (int64_t panel = 0; panel < 4; ++panel) {
    for (size_t b = 0; b < plan.runs.size(); ++b) {
      uint8_t* block = w.bytes.data() + panel * w.view.panel_bytes + b * block_bytes(f);
      for (int64_t i = 0; i < code_bytes(f); ++i) block[i] &= 0x8f;  // below 2^-5
      for (int r = 0; r < 16; ++r) {
        block[code_bytes(f) + r] = b == 1 ? kPowers[random() % 3] : kPowers[random() % 8];
      }
    }
  }
  AlignedBytes memory(kScratchBytes);
  for (const int64_t tokens : {1, 3}) {
    std::vector<float> x = random_floats(random, tokens * plan.k, 0x1p-20F);
    for (size_t i = 0; i < x.size(); i += 2) x[i] = std::ldexp(x[i], 40);
    const Reference expected = reference_grouped(w.view, nullptr, x.data(), tokens);
    for (const KernelTable* table : runnable_tables()) {
      std::vector<float> y(tokens * rows);
      table->matmul_grouped_f32(w.view, x.data(), plan.k, tokens, {0, 4},
                                {.y = y.data(), .stride = rows}, {memory.data(), kScratchBytes});
      EXPECT_TRUE(same_bits(y, expected.y)) << table->name << " tokens " << tokens;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Matmul, testing::Range(0, static_cast<int>(GroupedKind::count)));

struct DenseOperand {
  AlignedBytes bytes;
  DenseView view;
  std::vector<float> values;  // [rows, K]
};

DenseOperand random_dense(std::mt19937& random, DenseKind kind, int64_t rows, const Plan& plan) {
  const bool f32 = kind == DenseKind::f32;
  int64_t lines = 0, begin = 0;
  for (const int32_t end : plan.leaf_ends) {
    lines += f32 ? end - begin : (end - begin + 1) / 2;
    begin = end;
  }
  const int64_t panels = (rows + 63) / 64 * 4, panel = lines * 64;
  DenseOperand d{AlignedBytes(panels * panel), {}, std::vector<float>(rows * plan.k)};
  uint8_t* base = d.bytes.data();
  std::memset(base, 0, panels * panel);
  std::normal_distribution<float> normal;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t line = 0;
    begin = 0;
    for (const int32_t end : plan.leaf_ends) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t at = line + (f32 ? k - begin : (k - begin) / 2);
        uint8_t* p = f32 ? base + row / 16 * panel + at * 64 + row % 16 * 4
                         : base + row / 64 * 4 * panel + at * 256 + row / 16 % 4 * 64 +
                               row % 16 * 4 + (k - begin) % 2 * 2;
        const float value = normal(random);
        if (f32) {
          std::memcpy(p, &value, 4);
          d.values[row * plan.k + k] = value;
        } else {
          uint16_t word = kind == DenseKind::f16
                              ? random_half(random)
                              : static_cast<uint16_t>(__builtin_bit_cast(uint32_t, value) >> 16);
          std::memcpy(p, &word, 2);
          uint8_t bytes[2];
          std::memcpy(bytes, &word, 2);
          d.values[row * plan.k + k] =
              kind == DenseKind::f16 ? half(bytes)
                                     : __builtin_bit_cast(float, static_cast<uint32_t>(word) << 16);
        }
      }
      line += f32 ? end - begin : (end - begin + 1) / 2;
      begin = end;
    }
  }
  d.view = {
      base, panel, rows, plan.leaf_ends.data(), plan.k, static_cast<int32_t>(plan.leaf_ends.size()),
      kind};
  return d;
}

TEST(MatmulDense, EveryTableGivesTheBitsOfTheDefinition) {
  std::mt19937 random(3);
  std::vector<Plan> cuts = plans();
  cuts.push_back(make_plan({{7}, {7}, {3}}, 1));  // odd leaves
  AlignedBytes scratch_bytes(kScratchBytes);
  const Scratch scratch = {scratch_bytes.data(), kScratchBytes};
  for (const Plan& plan : cuts) {
    for (int kind = 0; kind < static_cast<int>(DenseKind::count); ++kind) {
      for (const int64_t tokens : {1, 2, 4, 13}) {
        const int64_t rows = 70;
        DenseOperand w = random_dense(random, static_cast<DenseKind>(kind), rows, plan);
        const std::vector<float> x = random_floats(random, tokens * plan.k);
        std::vector<float> expected(tokens * rows);
        std::vector<int64_t> expected_sums(tokens * rows);
        for (int64_t i = 0; i < tokens * rows; ++i) {
          int64_t k = 0;
          for (size_t leaf = 0; leaf < plan.leaf_ends.size(); ++leaf) {
            float acc = 0;
            for (; k < plan.leaf_ends[leaf]; ++k) {
              acc = std::fma(w.values[i % rows * plan.k + k], x[i / rows * plan.k + k], acc);
            }
            expected[i] = leaf == 0 ? acc : expected[i] + acc;
            expected_sums[i] += std::llrint(std::ldexp(static_cast<double>(acc), 36));
          }
        }
        for (const KernelTable* table : runnable_tables()) {
          std::vector<float> y(tokens * rows);
          table->matmul_dense(w.view, x.data(), plan.k, tokens, {0, 5},
                              {.y = y.data(), .stride = rows}, scratch);
          ASSERT_TRUE(same_bits(y, expected))
              << table->name << " kind " << kind << " tokens " << tokens << " K " << plan.k;
          std::vector<int64_t> sums(tokens * rows);
          int64_t bad = 0;
          table->matmul_dense(w.view, x.data(), plan.k, tokens, {0, 5},
                              {.sums = sums.data(), .stride = rows, .bad_leaves = &bad, .exact = 1},
                              scratch);
          ASSERT_EQ(sums, expected_sums) << table->name;
          std::vector<float> row(plan.k);
          table->dense_row(w.view, rows - 1, row.data());
          ASSERT_EQ(std::memcmp(row.data(), w.values.data() + (rows - 1) * plan.k, plan.k * 4), 0)
              << table->name;
        }
      }
    }
  }
}

TEST(MatmulDense, ALeafOutOfRangeIsCountedNeverAdded) {
  const Plan plan = make_plan({{2}, {2}}, 1);
  std::mt19937 random(1);
  DenseOperand w = random_dense(random, DenseKind::f32, 16, plan);
  AlignedBytes scratch(kScratchBytes);
  for (const float huge : {1e9F, -1e9F, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    for (const int64_t tokens : {1, 2}) {
      const std::vector<float> x = {1, 1, huge, 0, 1, 1, 1, 1};
      for (const KernelTable* table : runnable_tables()) {
        std::vector<float> y(2 * 16);
        int64_t bad = 0;
        table->matmul_dense(w.view, x.data(), 4, tokens, {0, 1},
                            {.y = y.data(), .stride = 16, .bad_leaves = &bad, .exact = 1},
                            {scratch.data(), kScratchBytes});
        EXPECT_GE(bad, 16) << table->name << " " << huge;
        EXPECT_LT(bad, 33) << table->name << " " << huge;
      }
    }
  }
}

TEST(AddFixed, RoundsHalfToEvenOverTheWholeRange) {
  // One element per leaf, weight 1: the sum is the conversion of x itself.
  std::vector<float> values = {0.0F,       0x1p-37F, 0x1.8p-36F, -0x1p-37F,  -0x1.8p-36F,
                               18400.123F, 32768.5F, 1048575.9F, -1048575.9F};
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    const float v = std::ldexp(static_cast<float>(static_cast<int32_t>(random())),
                               static_cast<int>(random() % 40) - 51);
    values.push_back(v);
  }
  const Plan plan = make_plan({{1}}, 1);
  DenseOperand w = random_dense(random, DenseKind::f32, 16, plan);
  for (int i = 0; i < 16; ++i) reinterpret_cast<float*>(w.bytes.data())[i] = 1.0F;
  AlignedBytes scratch(kScratchBytes);
  for (const KernelTable* table : runnable_tables()) {
    for (const float v : values) {
      std::vector<int64_t> sums(16);
      int64_t bad = 0;
      table->matmul_dense(w.view, &v, 1, 1, {0, 1},
                          {.sums = sums.data(), .stride = 16, .bad_leaves = &bad, .exact = 1},
                          {scratch.data(), kScratchBytes});
      ASSERT_EQ(bad, 0) << v;
      ASSERT_EQ(sums[3],
                static_cast<int64_t>(std::nearbyint(std::ldexp(static_cast<double>(v), 36))))
          << table->name << " " << v;
    }
  }
}

}  // namespace
}  // namespace colonnade::kernels::test
