#include "colonnade/tensor/grouped_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "colonnade/base/error.h"
#include "colonnade/base/half.h"

namespace colonnade {
namespace {

/// The numbers of one group: w = fma(scale, code - zero, offset).
struct GroupNumbers {
  float scale = 0.0f;
  float offset = 0.0f;
};

/// Products of two levels are exact in f32: 11 bits of f16 times at most 8.
GroupNumbers numbers_of(const GroupedRows& rows, const GroupedFormat& format, int64_t row,
                        int64_t col) {
  const int64_t group = row * rows.groups() + rows.group_of(col);
  const int64_t outer = format.super == 0 ? group : row * rows.supers() + rows.super_of(col);
  const auto i = static_cast<size_t>(group);
  GroupNumbers numbers{scale_at(rows.scales, format.scales, outer), 0.0f};
  if (format.offset) numbers.offset = scale_at(rows.offsets, format.scales, outer);
  if (format.super != 0) {
    numbers.scale *= static_cast<float>(rows.sub_scales[i]);
    if (format.offset) numbers.offset *= -static_cast<float>(rows.sub_offsets[i]);
  }
  return numbers;
}

}  // namespace

float scale_at(const std::vector<uint8_t>& scales, ScaleType type, int64_t index) {
  const uint8_t* at = scales.data() + index * scale_bytes(type);
  if (type == ScaleType::e8m0) {  // 2^(e - 128), the two smallest of which are denormal
    const uint32_t bits = *at < 2 ? uint32_t{0x00200000} << *at : (uint32_t{*at} - 1) << 23;
    return std::bit_cast<float>(bits);
  }
  if (type == ScaleType::e4m3) return 0.25f * doubled_e4m3(*at);
  if (type == ScaleType::f32) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  uint16_t half;
  std::memcpy(&half, at, sizeof half);
  return type == ScaleType::f16 ? f16_to_f32(half) : bf16_to_f32(half);
}

void GroupedRows::reshape(WeightFormat new_format, int64_t new_rows, int64_t new_begin,
                          int64_t new_cols) {
  const GroupedFormat f = grouped_format(new_format);
  CN_ASSERT(f.bits > 0, "GroupedRows: ", name_of(new_format), " is not a grouped format");
  CN_ASSERT(new_rows >= 0 && new_begin >= 0 && new_cols >= 0, "GroupedRows: [", new_rows, ", ",
            new_cols, "] from column ", new_begin);
  format = new_format;
  rows = new_rows;
  begin = new_begin;
  cols = new_cols;
  raw = {};
  const auto inner = static_cast<size_t>(rows * groups());
  const auto outer = (f.super == 0 ? inner : static_cast<size_t>(rows * supers())) *
                     static_cast<size_t>(scale_bytes(f.scales));
  codes.resize(static_cast<size_t>(rows * cols));
  scales.resize(outer);
  offsets.resize(f.offset ? outer : 0);
  sub_scales.resize(f.super == 0 ? 0 : inner);
  sub_offsets.resize(f.super == 0 || !f.offset ? 0 : inner);
}

void dequantize_row(const GroupedRows& rows, int64_t row, std::span<float> out) {
  CN_ASSERT(row >= 0 && row < rows.rows, "dequantize_row: row ", row, " of ", rows.rows);
  CN_ASSERT(static_cast<int64_t>(out.size()) == rows.cols, "dequantize_row: expected ", rows.cols,
            " columns, got ", out.size());
  const GroupedFormat format = grouped_format(rows.format);
  const uint8_t* codes = rows.codes.data() + row * rows.cols;  // [cols]
  for (int64_t col = 0; col < rows.cols;) {
    const int64_t group_end = format.group - (rows.begin + col) % format.group + col;
    const int64_t end = std::min(rows.cols, group_end);
    const GroupNumbers numbers = numbers_of(rows, format, row, col);
    for (; col < end; ++col) {
      const float code = format.value(codes[col]);
      out[static_cast<size_t>(col)] = format.offset
                                          ? std::fma(numbers.scale, code, numbers.offset)
                                          : numbers.scale * code;  // an E4M3 number keeps its -0
    }
  }
}

}  // namespace colonnade
