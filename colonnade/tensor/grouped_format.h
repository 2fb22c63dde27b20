// What the codes and scales of a grouped format mean, and what a K plan must know of them.
#pragma once

#include <array>
#include <cstdint>

#include "colonnade/tensor/weight_format.h"

namespace colonnade {

/// What a code of a table format stands for. Source: ggml-common.h, kvalues_iq4nl; kvalues_mxfp4,
/// the E2M1 numbers of the OCP Microscaling Formats doubled.
constexpr std::array<int8_t, 16> kIq4Table = {-127, -104, -83, -65, -49, -35, -22, -10,
                                              1,    13,   25,  38,  53,  69,  89,  113};
constexpr std::array<int8_t, 16> kE2m1Table = {0, 1,  2,  3,  4,  6,  8,  12,
                                               0, -1, -2, -3, -4, -6, -8, -12};

/// A number of E4M3 doubled: sign, four bits of exponent (bias 7), three of mantissa. Exact; 0x7f
/// and 0xff are no numbers, readers refuse them. Source: OCP 8-bit Floating Point Specification.
constexpr float doubled_e4m3(uint8_t code) {
  const int exponent = code >> 3 & 15;
  const int mantissa = (code & 7) + (exponent == 0 ? 0 : 8);  // units of 2^-8 at the least exponent
  const auto magnitude = static_cast<float>(mantissa << (exponent == 0 ? 0 : exponent - 1));
  return (code & 0x80) != 0 ? -0x1p-8f * magnitude : 0x1p-8f * magnitude;
}

/// What a grouped format's weights mean.
///   one level   w = scale * (code - zero) + offset
///   two levels  w = (scale * sub_scale) * (code - zero) - (offset * sub_offset)
/// A table's entry, or a number of E4M3 (`floats`), stands for code - zero.
struct GroupedFormat {
  int bits = 0;                       // codes are 0 .. 2^bits - 1
  int zero = 0;                       // the code that means 0, before the offset
  int group = 0;                      // elements that share a scale or (two levels) a sub-scale
  int super = 0;                      // elements that share a scale of two levels; 0: one level
  bool offset = false;                // the format has offsets
  ScaleType scales = ScaleType::f16;  // and offsets
  const int8_t* table = nullptr;      // [16]
  bool floats = false;                // codes are E4M3 numbers, doubled

  constexpr float value(uint8_t code) const {
    if (floats) return doubled_e4m3(code);
    return static_cast<float>(table != nullptr ? table[code] : code - zero);
  }
};

/// Sources: ggml-common.h, block_q4_0 ... block_mxfp4; MLX, mlx.core.quantize, modes "nvfp4" and
/// "mxfp8". Signed 8-bit codes have their sign bit flipped, so that they count from 0 like all
/// others. Scales of one byte are those of halves of the table's entries or of the doubled numbers.
constexpr GroupedFormat grouped_format(WeightFormat format) {
  if (is_affine(format)) {
    const AffineFormat a = affine_of(format);
    return {.bits = a.bits, .group = a.group, .offset = true, .scales = a.scales};
  }
  switch (format) {
    case WeightFormat::q4_0:
      return {.bits = 4, .zero = 8, .group = 32};
    case WeightFormat::q4_1:
      return {.bits = 4, .group = 32, .offset = true};
    case WeightFormat::q5_0:
      return {.bits = 5, .zero = 16, .group = 32};
    case WeightFormat::q5_1:
      return {.bits = 5, .group = 32, .offset = true};
    case WeightFormat::q8_0:
      return {.bits = 8, .zero = 128, .group = 32};
    case WeightFormat::iq4_nl:
      return {.bits = 4, .group = 32, .table = kIq4Table.data()};
    case WeightFormat::mxfp4:
      return {.bits = 4, .group = 32, .scales = ScaleType::e8m0, .table = kE2m1Table.data()};
    case WeightFormat::q2_k:
      return {.bits = 2, .group = 16, .super = 256, .offset = true};
    case WeightFormat::q3_k:
      return {.bits = 3, .zero = 4, .group = 16, .super = 256};
    case WeightFormat::q4_k:
      return {.bits = 4, .group = 32, .super = 256, .offset = true};
    case WeightFormat::q5_k:
      return {.bits = 5, .group = 32, .super = 256, .offset = true};
    case WeightFormat::q6_k:
      return {.bits = 6, .zero = 32, .group = 16, .super = 256};
    case WeightFormat::iq4_xs:
      return {.bits = 4, .group = 32, .super = 256, .table = kIq4Table.data()};
    case WeightFormat::q8_k:
      return {.bits = 8, .zero = 128, .group = 256, .scales = ScaleType::f32};
    case WeightFormat::nvfp4:
      return {.bits = 4, .group = 16, .scales = ScaleType::e4m3, .table = kE2m1Table.data()};
    case WeightFormat::mxfp8:
      return {.bits = 8, .group = 32, .scales = ScaleType::e8m0, .floats = true};
    case WeightFormat::f32:
    case WeightFormat::bf16:
    case WeightFormat::f16:
    case WeightFormat::affine:
      break;
  }
  return {};
}

/// Elements along K whose scale stands once in memory, behind their codes: super-blocks, groups of
/// affine formats and of Q8_K. 0: every block of 32 has its own.
constexpr int64_t super_block(WeightFormat format) {
  const GroupedFormat f = grouped_format(format);
  if (f.super != 0) return f.super;
  return is_affine(format) || f.group > 32 ? f.group : 0;
}

}  // namespace colonnade
