// The formats a matrix has on the way from a file to a kernel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace colonnade {

/// How a file writes scales and offsets. e8m0: a power of two, its exponent in one byte; e4m3:
/// sign, four bits of exponent, three of mantissa.
enum class ScaleType : uint8_t { f16, bf16, f32, e8m0, e4m3 };

constexpr int scale_bytes(ScaleType type) {
  return type == ScaleType::f32 ? 4 : type == ScaleType::f16 || type == ScaleType::bf16 ? 2 : 1;
}

enum class WeightFormat : uint8_t {
  f32,
  bf16,
  f16,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  iq4_nl,
  mxfp4,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  iq4_xs,
  q8_k,
  nvfp4,
  mxfp8,
  affine  // the first of all that affine_format makes
};

constexpr bool is_grouped(WeightFormat format) { return format >= WeightFormat::q4_0; }

/// The weights are integers times scales, so activations may come as codes. Others meet f32.
constexpr bool has_integers(WeightFormat format) {
  return is_grouped(format) && format != WeightFormat::mxfp8;
}

/// w = scale * code + offset in groups along K. Source: MLX, mlx.core.quantize, mode "affine".
struct AffineFormat {
  int bits = 4;
  int group = 64;
  ScaleType scales = ScaleType::f16;  // and offsets; of one byte: none
};

constexpr std::array kAffineBits = {2, 3, 4, 5, 6, 8};
constexpr std::array kAffineGroups = {32, 64, 128};
constexpr std::array kAffineScales = {ScaleType::f16, ScaleType::bf16, ScaleType::f32};

constexpr bool is_affine(WeightFormat format) { return format >= WeightFormat::affine; }

/// Nothing if there is no such format: the lists above have what there is.
constexpr std::optional<WeightFormat> affine_format(AffineFormat wanted) {
  int index = static_cast<int>(WeightFormat::affine);
  for (const int bits : kAffineBits) {
    for (const int group : kAffineGroups) {
      for (const ScaleType scales : kAffineScales) {
        if (bits == wanted.bits && group == wanted.group && scales == wanted.scales)
          return static_cast<WeightFormat>(index);
        ++index;
      }
    }
  }
  return std::nullopt;
}

/// The parameters of an affine format.
constexpr AffineFormat affine_of(WeightFormat format) {
  const auto index = static_cast<size_t>(format) - static_cast<size_t>(WeightFormat::affine);
  return {kAffineBits[index / 9], kAffineGroups[index / 3 % 3], kAffineScales[index % 3]};
}

/// "q4_k", "affine4_g64_bf16".
const char* name_of(WeightFormat format);

}  // namespace colonnade
