#include "tests/support/weights.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "tests/support/random.h"

#include "colonnade/base/half.h"

namespace colonnade::test {
namespace {

/// `bytes` of scales of either sign, of about 2^-6.
void fill_scales(Random& random, ScaleType type, std::vector<uint8_t>& bytes) {
  for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(scale_bytes(type))) {
    const float value = random.uniform(-0.02f, 0.02f);
    const uint16_t half = type == ScaleType::bf16 ? f32_to_bf16(value) : f32_to_f16(value);
    const auto exponent = static_cast<uint8_t>(random.integer(118, 122));
    const auto number = static_cast<uint8_t>(random.integer(0, 15) | random.integer(0, 1) << 7);
    const void* from = type == ScaleType::e8m0   ? static_cast<const void*>(&exponent)
                       : type == ScaleType::e4m3 ? static_cast<const void*>(&number)
                       : type == ScaleType::f32  ? static_cast<const void*>(&value)
                                                 : &half;
    std::memcpy(&bytes[at], from, static_cast<size_t>(scale_bytes(type)));
  }
}

/// What the sub-scales of a format can be.
struct SubRange {
  int64_t least = 0, most = 0, most_offset = 0;
};
SubRange sub_range(WeightFormat format) {
  switch (format) {
    case WeightFormat::q2_k:
      return {0, 15, 15};
    case WeightFormat::q3_k:
    case WeightFormat::iq4_xs:
      return {-32, 31, 0};
    case WeightFormat::q6_k:
      return {-128, 127, 0};
    default:
      return {0, 63, 63};
  }
}

template <typename T>
std::vector<T> rows_of(const std::vector<T>& table, int64_t all_rows, Range rows) {
  const int64_t per_row = all_rows == 0 ? 0 : static_cast<int64_t>(table.size()) / all_rows;
  return {table.begin() + rows.begin * per_row, table.begin() + rows.end * per_row};
}

int64_t element_bytes(WeightFormat format) { return format == WeightFormat::f32 ? 4 : 2; }

std::vector<float> numbers(const std::vector<std::byte>& rows, WeightFormat format) {
  std::vector<float> values(rows.size() / static_cast<size_t>(element_bytes(format)));
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t half = 0;
    if (format == WeightFormat::f32) {
      std::memcpy(&values[i], &rows[4 * i], 4);
      continue;
    }
    std::memcpy(&half, &rows[2 * i], 2);
    values[i] = format == WeightFormat::bf16 ? bf16_to_f32(half) : f16_to_f32(half);
  }
  return values;
}

}  // namespace

std::vector<WeightFormat> grouped_formats() {
  std::vector<WeightFormat> all;
  for (auto f = WeightFormat::q4_0; f != WeightFormat::affine;
       f = static_cast<WeightFormat>(static_cast<int>(f) + 1)) {
    all.push_back(f);
  }
  for (const int bits : kAffineBits) {
    const auto i = static_cast<size_t>(bits);
    all.push_back(*affine_format({bits, kAffineGroups[i % 3], kAffineScales[i / 2 % 3]}));
    all.push_back(*affine_format({bits, kAffineGroups[(i + 1) % 3], kAffineScales[0]}));
  }
  return all;
}

GroupedRows random_grouped_rows(uint64_t seed, WeightFormat format, int64_t rows, int64_t cols,
                                int64_t begin) {
  Random random(seed);
  GroupedRows made;
  made.reshape(format, rows, begin, cols);
  const GroupedFormat f = grouped_format(format);
  const int64_t most = (int64_t{1} << f.bits) - 1;
  for (uint8_t& code : made.codes) {
    code = static_cast<uint8_t>(random.integer(0, most));
    if (f.floats && (code & 0x7f) == 0x7f) code = 0;  // that is no number
  }
  fill_scales(random, f.scales, made.scales);
  fill_scales(random, f.scales, made.offsets);
  const SubRange sub = sub_range(format);
  for (int8_t& scale : made.sub_scales)
    scale = static_cast<int8_t>(random.integer(sub.least, sub.most));
  for (uint8_t& offset : made.sub_offsets)
    offset = static_cast<uint8_t>(random.integer(0, sub.most_offset));
  return made;
}

std::vector<std::byte> random_dense_rows(uint64_t seed, WeightFormat format, int64_t rows,
                                         int64_t cols) {
  Random random(seed);
  std::vector<std::byte> made(static_cast<size_t>(rows * cols * element_bytes(format)));
  for (int64_t i = 0; i < rows * cols; ++i) {
    const float value = random.uniform(-0.1f, 0.1f);
    const uint16_t half = format == WeightFormat::bf16 ? f32_to_bf16(value) : f32_to_f16(value);
    const void* from = format == WeightFormat::f32 ? static_cast<const void*>(&value) : &half;
    std::memcpy(made.data() + i * element_bytes(format), from,
                static_cast<size_t>(element_bytes(format)));
  }
  return made;
}

RowSource source_of(GroupedRows rows) {
  RowSource source;
  source.grouped = [rows = std::make_shared<GroupedRows>(std::move(rows))](Range range,
                                                                           GroupedRows& out) {
    out.reshape(rows->format, range.size(), rows->begin, rows->cols);
    out.codes = rows_of(rows->codes, rows->rows, range);
    out.scales = rows_of(rows->scales, rows->rows, range);
    out.offsets = rows_of(rows->offsets, rows->rows, range);
    out.sub_scales = rows_of(rows->sub_scales, rows->rows, range);
    out.sub_offsets = rows_of(rows->sub_offsets, rows->rows, range);
  };
  return source;
}

RowSource source_of(std::vector<std::byte> rows, int64_t row_bytes) {
  RowSource source;
  source.dense = [rows = std::make_shared<std::vector<std::byte>>(std::move(rows)), row_bytes](
                     Range range, std::byte* out) {
    std::copy(rows->begin() + range.begin * row_bytes, rows->begin() + range.end * row_bytes, out);
  };
  return source;
}

TestWeight random_weight(Device& device, uint64_t seed, const WeightSpec& spec) {
  const int64_t k = spec.plan.k();
  TestWeight weight;
  if (!is_grouped(spec.format)) {
    std::vector<std::byte> rows = random_dense_rows(seed, spec.format, spec.rows, k);
    weight.values = numbers(rows, spec.format);
    weight.packed = device.pack(spec, source_of(std::move(rows), k * element_bytes(spec.format)));
    return weight;
  }
  GroupedRows rows =
      random_grouped_rows(seed, spec.format, spec.rows, k, spec.plan.cut().slice.begin);
  weight.values.resize(static_cast<size_t>(spec.rows * k));
  for (int64_t r = 0; r < spec.rows; ++r) {
    dequantize_row(
        rows, r,
        std::span(weight.values).subspan(static_cast<size_t>(r * k), static_cast<size_t>(k)));
  }
  weight.packed = device.pack(spec, source_of(std::move(rows)));
  return weight;
}

TestWeight random_weight(Device& device, uint64_t seed, WeightFormat format, int64_t rows,
                         int64_t k, Tier tier) {
  return random_weight(device, seed,
                       WeightSpec{name_of(format), format, rows, KPlan(format, k), tier});
}

}  // namespace colonnade::test
