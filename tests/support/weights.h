// Weights for tests: random rows of any format, packed by a device, and what they mean as numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "colonnade/tensor/device.h"
#include "colonnade/tensor/grouped_rows.h"
#include "colonnade/tensor/weight.h"

namespace colonnade::test {

/// Every grouped format of GGUF, and affine ones of every bit width, group and type of scales.
std::vector<WeightFormat> grouped_formats();

/// Columns [begin, begin + cols) of random rows: all codes occur, scales are finite and of both
/// signs.
GroupedRows random_grouped_rows(uint64_t seed, WeightFormat format, int64_t rows, int64_t cols,
                                int64_t begin = 0);
/// Random elements of a dense format as the file has them, [rows, cols].
std::vector<std::byte> random_dense_rows(uint64_t seed, WeightFormat format, int64_t rows,
                                         int64_t cols);

/// Sources that hand out copies of these rows; they keep their own.
RowSource source_of(GroupedRows rows);
RowSource source_of(std::vector<std::byte> rows, int64_t row_bytes);

/// A packed weight and the same numbers as f32, [rows, K].
struct TestWeight {
  WeightPtr packed;
  std::vector<float> values;
};
TestWeight random_weight(Device& device, uint64_t seed, const WeightSpec& spec);
/// A whole row in leaves of 512, named after its format.
TestWeight random_weight(Device& device, uint64_t seed, WeightFormat format, int64_t rows,
                         int64_t k, Tier tier);

}  // namespace colonnade::test
