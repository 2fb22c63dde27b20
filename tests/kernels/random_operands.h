// Random operands for kernel tests: packed panels (every byte pattern is a legal panel as long as
// its f16 scales are finite), plans of K, activations and their codes.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "colonnade/base/cpu_features.h"
#include "colonnade/kernels/p16.h"
#include "colonnade/kernels/table.h"

namespace colonnade::kernels::test {

/// How K is cut, with its storage. `runs_per_leaf[i]` lists the lengths of leaf i's runs; every run
/// is its own activation group unless its length is negative: then it shares the group of the run
/// before it.
struct Plan {
  std::vector<Segment> segments;
  std::vector<Run> runs;
  std::vector<int32_t> leaf_ends;
  int64_t k = 0;
  bool uniform = true;

  KPlanView view() const {
    return {segments.data(),
            runs.data(),
            k,
            static_cast<int32_t>(segments.size()),
            static_cast<int32_t>(runs.size()),
            static_cast<int32_t>(leaf_ends.size()),
            uniform ? 1 : 0};
  }
};

inline Plan make_plan(const std::vector<std::vector<int32_t>>& leaves, int32_t blocks_per_segment) {
  Plan plan;
  int32_t group = -1;
  for (const std::vector<int32_t>& leaf : leaves) {
    int32_t in_segment = 0;
    for (size_t i = 0; i < leaf.size(); ++i) {
      if (leaf[i] > 0) ++group;
      const int32_t length = std::abs(leaf[i]);
      plan.runs.push_back({static_cast<int32_t>(plan.k), length, group});
      plan.k += length;
      plan.uniform = plan.uniform && length == kBlock;
      ++in_segment;
      const bool last = i + 1 == leaf.size();
      if (in_segment == blocks_per_segment || last) {
        plan.segments.push_back({in_segment, last ? 1 : 0});
        in_segment = 0;
      }
    }
    plan.leaf_ends.push_back(static_cast<int32_t>(plan.k));
  }
  return plan;
}

inline std::vector<float> random_floats(std::mt19937& random, int64_t count, float scale = 1.0F) {
  std::normal_distribution<float> normal(0.0F, scale);
  std::vector<float> v(count);
  for (float& x : v) x = normal(random);
  return v;
}

struct AlignedBytes {
  explicit AlignedBytes(int64_t bytes) : storage(bytes + 4096 + 64) {}
  uint8_t* data() {
    return storage.data() + (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64;
  }
  std::vector<uint8_t> storage;
};

/// A random f16 between about 2^-9 and 2^-2 in magnitude.
inline uint16_t random_half(std::mt19937& random) {
  return static_cast<uint16_t>((random() & 0x83ffU) | (6 + random() % 8) << 10);
}

struct GroupedOperand {
  AlignedBytes bytes;
  GroupedView view;
};

/// Random scales of `type` at `at`.
inline void put_scales(std::mt19937& random, ScaleType type, uint8_t* at, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const uint16_t half = random_half(random);
    const auto bf16 = static_cast<uint16_t>((random() & 0x80ffU) | 0x3c00U);
    const uint32_t word = (random() & 0x80ffffffU) | 0x3c000000U;
    if (type == ScaleType::f32) std::memcpy(at + 4 * i, &word, 4);
    if (type != ScaleType::f32) std::memcpy(at + 2 * i, type == ScaleType::f16 ? &half : &bf16, 2);
  }
}

/// Random panels. Codes behind a short run are whatever they are: the activation codes there are
/// zero.
inline GroupedOperand random_grouped(std::mt19937& random, GroupedKind kind, int64_t rows,
                                     const Plan& plan, ScaleType scales = ScaleType::f16) {
  const P16Format f = p16_format(kind);
  const int64_t panel = panel_bytes(f, scales, static_cast<int64_t>(plan.runs.size()),
                                    static_cast<int64_t>(plan.segments.size()));
  const int64_t panels = (rows + kLanes - 1) / kLanes;
  GroupedOperand operand{AlignedBytes(panel * panels), {}};
  uint8_t* base = operand.bytes.data();
  for (int64_t i = 0; i < panel * panels; ++i) base[i] = static_cast<uint8_t>(random());
  const auto put_sub_scales = [&](uint8_t* at, int64_t count) {
    const bool sub_of_6_bits = f.levels == 2 && !in_pairs(f) && f.subgroups == 1;
    for (int64_t i = 0; i < count; ++i) {
      // 4-bit tables and 3-bit codes have signed sub-scales of 6 bits.
      const auto signed_sub = static_cast<uint8_t>(static_cast<int>(random() % 64) - 32);
      if (sub_of_6_bits) at[i] = f.offset ? at[i] & 63 : signed_sub;
      if (in_pairs(f) && !f.offset) at[i] = signed_sub;
      if (f.place == ScalePlace::block_e8m0) at[i] = static_cast<uint8_t>(119 + at[i] % 8);
      if (f.place == ScalePlace::block_e4m3) at[i] &= 0xbf;  // below 2
    }
  };
  const auto put_numbers = [](uint8_t* at, int64_t count) {
    for (int64_t i = 0; i < count; ++i) at[i] ^= (at[i] & 0x7f) == 0x7f;  // that is no number
  };
  for (int64_t n = 0; n < panels; ++n) {
    uint8_t* p = base + n * panel;
    for (const Segment& segment : plan.segments) {
      for (int32_t b = 0; b < segment.blocks; ++b, p += block_bytes(f)) {
        if (float_codes(f)) put_numbers(p, code_bytes(f));
        const int64_t behind = block_bytes(f) - code_bytes(f);
        if (f.place == ScalePlace::block_f16) {
          put_scales(random, ScaleType::f16, p + code_bytes(f), behind / 2);
        } else {
          put_sub_scales(p + code_bytes(f), behind);
        }
      }
      const int64_t tail = segment_tail_bytes(f, scales);
      put_scales(random, scales, p, tail / scale_bytes(scales));
      p += tail;
    }
  }
  operand.view = {base, panel, rows, plan.view(), kind, scales};
  return operand;
}

/// Activation codes with their storage.
struct Codes {
  std::vector<int8_t> hi, lo;
  std::vector<float> scale, scaled_sum;
  std::vector<int32_t> half_sums;
  CodesView view;
};

inline Codes make_codes(int64_t tokens, int64_t blocks, bool int15) {
  Codes c;
  c.hi.resize(tokens * blocks * kBlock);
  if (int15) c.lo.resize(tokens * blocks * kBlock);
  c.scale.resize(tokens * blocks);
  c.scaled_sum.resize(tokens * blocks);
  c.half_sums.resize(tokens * blocks * 2);
  c.view = {c.hi.data(),
            int15 ? c.lo.data() : nullptr,
            c.scale.data(),
            c.scaled_sum.data(),
            c.half_sums.data(),
            tokens,
            static_cast<int32_t>(blocks)};
  return c;
}

/// Tables that this build has and this CPU runs.
inline std::vector<const KernelTable*> runnable_tables() {
  std::vector<const KernelTable*> tables = {table_for(Isa::scalar)};
  const CpuFeatures cpu = detect_cpu_features();
  const bool avx2 = cpu.avx2 && cpu.fma && cpu.f16c;
  const bool avx512 = avx2 && cpu.avx512f && cpu.avx512bw && cpu.avx512dq && cpu.avx512vl;
  const bool vnni = avx512 && cpu.avx512vnni;
  if (avx2) tables.push_back(table_for(Isa::avx2));
  if (avx2 && cpu.avxvnni) tables.push_back(table_for(Isa::avxvnni));
  if (avx512) tables.push_back(table_for(Isa::avx512));
  if (vnni) tables.push_back(table_for(Isa::avx512vnni));
  if (vnni && cpu.amx_tile && cpu.amx_int8) tables.push_back(table_for(Isa::amx));
  if (cpu.asimd) tables.push_back(table_for(Isa::neon));
  if (cpu.asimddp) tables.push_back(table_for(Isa::neondot));
  return tables;
}

}  // namespace colonnade::kernels::test
