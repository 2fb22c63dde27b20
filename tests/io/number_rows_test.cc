#include "colonnade/io/number_rows.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "colonnade/base/half.h"
#include "colonnade/tensor/grouped_rows.h"

namespace colonnade {
namespace {

using Numbers = std::vector<float>;

TEST(NumberRows, DenseRowsAreTheNumbersThatTheyMean) {
  const Numbers numbers = {1.5F, -2.0F, 0.0F, 0.25F};
  RowSource source;
  Numbers out(2);
  source.dense = [&](Range rows, std::byte* bytes) {
    std::memcpy(bytes, numbers.data() + rows.begin * 2, 8);
  };
  read_numbers(source, WeightFormat::f32, {1, 2}, out);
  EXPECT_EQ(out, (Numbers{0.0F, 0.25F}));
  for (const WeightFormat format : {WeightFormat::f16, WeightFormat::bf16}) {
    source.dense = [&](Range rows, std::byte* bytes) {
      for (int64_t i = 0; i < 2; ++i) {
        const float number = numbers[static_cast<size_t>(rows.begin * 2 + i)];
        const uint16_t half =
            format == WeightFormat::f16 ? f32_to_f16(number) : f32_to_bf16(number);
        std::memcpy(bytes + 2 * i, &half, 2);
      }
    };
    read_numbers(source, format, {0, 1}, out);
    EXPECT_EQ(out, (Numbers{1.5F, -2.0F})) << name_of(format);
  }
}

TEST(NumberRows, GroupedRowsAreTheirScaleTimesTheirCodes) {
  RowSource source;
  source.grouped = [](Range rows, GroupedRows& out) {
    out.reshape(WeightFormat::q4_0, rows.size(), 0, 32);
    const uint16_t scale = f32_to_f16(0.5F);
    for (int64_t row = 0; row < rows.size(); ++row) {
      std::memcpy(out.scales.data() + 2 * row, &scale, 2);
      for (int64_t i = 0; i < 32; ++i)
        out.codes[static_cast<size_t>(row * 32 + i)] =
            static_cast<uint8_t>((i + rows.begin + row) % 16);
    }
  };
  Numbers out(64);
  read_numbers(source, WeightFormat::q4_0, {3, 5}, out);
  EXPECT_EQ(out[0], 0.5F * (3 - 8));
  EXPECT_EQ(out[1], 0.5F * (4 - 8));
  EXPECT_EQ(out[32], 0.5F * (4 - 8));
}

}  // namespace
}  // namespace colonnade
