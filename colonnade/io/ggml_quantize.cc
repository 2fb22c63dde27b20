#include "colonnade/io/ggml_quantize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "colonnade/base/error.h"
#include "colonnade/base/half.h"

namespace colonnade {
namespace {

constexpr GgmlType kWritable[] = {GgmlType::f32,  GgmlType::f16,  GgmlType::bf16,
                                  GgmlType::q8_0, GgmlType::q4_0, GgmlType::q4_1};
constexpr int kBlock = 32;

/// A number that f16 holds.
bool fits_f16(float value) { return std::fabs(value) < 65520.0F; }

void put_f16(float value, std::byte* out) {
  const uint16_t half = f32_to_f16(value);
  std::memcpy(out, &half, sizeof half);
}

/// 1 / scale; 0 where that is infinite: the block's scale is then 0 in f16 too.
float inverse(float scale) {
  const float inverse = scale != 0.0F ? 1.0F / scale : 0.0F;
  return std::fabs(inverse) <= std::numeric_limits<float>::max() ? inverse : 0.0F;
}

/// 16 bytes: element i in the low half of byte i, element 16 + i in the high half.
void put_nibbles(const uint8_t* codes, std::byte* out) {
  for (int i = 0; i < kBlock / 2; ++i)
    out[i] = static_cast<std::byte>(codes[i] | codes[i + kBlock / 2] << 4);
}

/// The largest |x[i]|. As integers, which unlike floats are compared several at a time: without
/// the sign bit their order is the same.
float largest_magnitude(const float* x) {
  int32_t largest = 0;
  for (int i = 0; i < kBlock; ++i)
    largest = std::max(largest, __builtin_bit_cast(int32_t, x[i]) & 0x7fffffff);
  return __builtin_bit_cast(float, largest);
}

struct Extremes {
  float least = 0.0F;
  float most = 0.0F;
};

/// In eight lanes, which gcc makes a vector of. Of several zeros that are the least the first one
/// counts, as if they were seen in order: the sign of an offset of zero.
Extremes extremes_of(const float* x) {
  constexpr int kLanes = 8;
  float least[kLanes], most[kLanes];
  std::copy_n(x, kLanes, least);
  std::copy_n(x, kLanes, most);
  for (int i = kLanes; i < kBlock; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) {
      least[j] = x[i + j] < least[j] ? x[i + j] : least[j];
      most[j] = x[i + j] > most[j] ? x[i + j] : most[j];
    }
  }
  const Extremes found{*std::min_element(least, least + kLanes),
                       *std::max_element(most, most + kLanes)};
  return {*std::find(x, x + kBlock, found.least), found.most};
}

// Each block type: finite x [32] -> out; false if its numbers do not fit.

struct Q8_0 {
  static constexpr int bytes = 34;
  static bool quantize(const float* x, std::byte* out) {
    const float scale = largest_magnitude(x) / 127;
    if (!fits_f16(scale)) return false;
    const float factor = inverse(scale);
    put_f16(scale, out);
    for (int i = 0; i < kBlock; ++i) {
      // Half away from zero. Adding a half before the cut would round 0.49999997 up.
      const float magnitude = std::fabs(x[i] * factor);
      const auto whole = static_cast<int>(magnitude);
      const auto more = static_cast<int>(2 * (magnitude - static_cast<float>(whole)));
      out[2 + i] = static_cast<std::byte>(x[i] * factor < 0 ? -(whole + more) : whole + more);
    }
    return true;
  }
};

struct Q4_0 {
  static constexpr int bytes = 18;
  static bool quantize(const float* x, std::byte* out) {
    const float largest = largest_magnitude(x);
    const float* first =
        std::find_if(x, x + kBlock, [largest](float value) { return std::fabs(value) == largest; });
    const float scale = *first / -8;
    if (!fits_f16(scale)) return false;
    const float factor = inverse(scale);
    uint8_t codes[kBlock];
    for (int i = 0; i < kBlock; ++i)
      codes[i] = static_cast<uint8_t>(std::min(15, static_cast<int>(x[i] * factor + 8.5F)));
    put_f16(scale, out);
    put_nibbles(codes, out + 2);
    return true;
  }
};

struct Q4_1 {
  static constexpr int bytes = 20;
  static bool quantize(const float* x, std::byte* out) {
    const auto [least, most] = extremes_of(x);
    const float scale = (most - least) / 15;
    if (!fits_f16(scale) || !fits_f16(least)) return false;
    const float factor = inverse(scale);
    uint8_t codes[kBlock];
    for (int i = 0; i < kBlock; ++i)
      codes[i] =
          static_cast<uint8_t>(std::min(15, static_cast<int>((x[i] - least) * factor + 0.5F)));
    put_f16(scale, out);
    put_f16(least, out + 2);
    put_nibbles(codes, out + 4);
    return true;
  }
};

template <typename Block>
bool quantize_blocks(std::span<const float> row, std::byte* out) {
  for (size_t at = 0; at < row.size(); at += kBlock, out += Block::bytes) {
    if (!Block::quantize(row.data() + at, out)) return false;
  }
  return true;
}

/// 16-bit floats; the upper bits say whether one is infinite.
template <uint16_t infinity, uint16_t (*narrow)(float)>
bool narrow_row(std::span<const float> row, std::byte* out) {
  bool finite = true;
  for (const float value : row) {
    const uint16_t bits = narrow(value);
    finite = finite && (bits & infinity) != infinity;
    std::memcpy(out, &bits, sizeof bits);
    out += sizeof bits;
  }
  return finite;
}

bool all_finite(std::span<const float> row) {
  int32_t largest = 0;
  for (const float value : row)
    largest = std::max(largest, __builtin_bit_cast(int32_t, value) & 0x7fffffff);
  return largest < 0x7f800000;
}

}  // namespace

bool is_writable(GgmlType type) {
  return std::ranges::find(kWritable, type) != std::end(kWritable);
}

std::string writable_ggml_types() {
  std::string names;
  for (const GgmlType type : kWritable) names += concat(names.empty() ? "" : ", ", name_of(type));
  return names;
}

bool quantize_row(GgmlType type, std::span<const float> row, std::byte* out) {
  CN_ASSERT(static_cast<int64_t>(row.size()) % info_of(type).block_elements == 0,
            "quantize_row: ", row.size(), " elements of ", name_of(type));
  if (!all_finite(row)) return false;
  switch (type) {
    case GgmlType::f32:
      std::memcpy(out, row.data(), row.size_bytes());
      return true;
    case GgmlType::f16:
      return narrow_row<0x7c00, f32_to_f16>(row, out);
    case GgmlType::bf16:
      return narrow_row<0x7f80, f32_to_bf16>(row, out);
    case GgmlType::q8_0:
      return quantize_blocks<Q8_0>(row, out);
    case GgmlType::q4_0:
      return quantize_blocks<Q4_0>(row, out);
    case GgmlType::q4_1:
      return quantize_blocks<Q4_1>(row, out);
    default:
      break;
  }
  CN_ASSERT(false, "quantize_row: ", name_of(type), " is not a type that can be written");
}

}  // namespace colonnade
