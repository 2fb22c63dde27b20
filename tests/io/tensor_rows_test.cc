#include "colonnade/io/tensor_rows.h"

#include <cstring>
#include <string>

#include "tests/support/bits.h"
#include "tests/support/gguf_builder.h"
#include "tests/support/random.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "colonnade/base/error.h"
#include "colonnade/base/half.h"

namespace colonnade {
namespace {

using test::GgufBuilder;
using ::testing::HasSubstr;

constexpr uint32_t kF32 = 0;
constexpr uint32_t kQ4_1 = 3;

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string random_bytes(uint64_t seed, size_t count) {
  test::Random random(seed);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.bits() >> 56);
  return bytes;
}

class TensorRowsTest : public ::testing::Test {
 protected:
  GgufFile file(const GgufBuilder& builder) const {
    return GgufFile(folder_.write("m.gguf", builder.bytes()));
  }
  test::TemporaryFolder folder_;
};

TEST_F(TensorRowsTest, CodesAreLeftAsTheyAreOnlyWhereThatIsWishedAndTheSliceAllowsIt) {
  const GgufFile gguf =
      file(GgufBuilder().add_tensor("w", {160, 40}, kQ4_1, random_bytes(1, 40 * 160 / 32 * 20)));
  GroupedRows apart, left;
  read_grouped(gguf, *gguf.find("w"), {{3, 33}, {32, 128}}, apart);
  EXPECT_EQ(apart.raw.data, nullptr);
  left.takes_raw = true;
  read_grouped(gguf, *gguf.find("w"), {{3, 33}, {32, 128}}, left);
  ASSERT_NE(left.raw.data, nullptr);
  EXPECT_EQ(left.raw.row_bytes, 3 * 20);
  EXPECT_EQ(left.raw.data[4] & 15, apart.codes[0]);
  EXPECT_EQ(left.scales, apart.scales);
  read_grouped(gguf, *gguf.find("w"), {{3, 33}, {16, 128}}, left);
  EXPECT_EQ(left.raw.data, nullptr);
  read_grouped(gguf, *gguf.find("w"), {{3, 33}, {16, 128}}, apart);
  EXPECT_EQ(left.codes, apart.codes);
}

TEST_F(TensorRowsTest, AGroupedSliceEqualsThatPartOfTheWhole) {
  constexpr int64_t kRows = 3000;  // more than one piece of scratch memory
  constexpr int64_t kCols = 160;
  const GgufFile gguf = file(GgufBuilder().add_tensor("w", {kCols, kRows}, kQ4_1,
                                                      random_bytes(1, kRows * kCols / 32 * 20)));
  const GgufTensor& tensor = *gguf.find("w");
  GroupedRows whole;
  read_grouped(gguf, tensor, {{0, kRows}, {0, kCols}}, whole);
  const Slice slice{{5, 2995}, {48, 128}};
  GroupedRows part;
  read_grouped(gguf, tensor, slice, part);
  ASSERT_EQ(part.rows, 2990);
  ASSERT_EQ(part.begin, 48);
  for (int64_t row = 0; row < part.rows; ++row) {
    ASSERT_EQ(
        std::memcmp(part.codes.data() + row * 80, whole.codes.data() + (row + 5) * kCols + 48, 80),
        0)
        << row;
    const auto same = [](const std::vector<uint8_t>& a, int64_t i, const std::vector<uint8_t>& b,
                         int64_t j) { return std::memcmp(&a[2 * i], &b[2 * j], 2) == 0; };
    ASSERT_TRUE(same(part.scales, row * 3 + 2, whole.scales, (row + 5) * 5 + 3)) << row;
    ASSERT_TRUE(same(part.offsets, row * 3, whole.offsets, (row + 5) * 5 + 1)) << row;
  }
}

TEST_F(TensorRowsTest, OnlyTheBlocksOfTheSliceAreRead) {
  const GgufFile gguf =
      file(GgufBuilder().add_tensor("w", {320, 100}, kQ4_1, random_bytes(2, 100 * 10 * 20)));
  const int64_t before = gguf.bytes_read();
  GroupedRows part;
  read_grouped(gguf, *gguf.find("w"), {{10, 60}, {64, 160}}, part);
  EXPECT_EQ(gguf.bytes_read() - before, 50 * 3 * 20);
}

TEST_F(TensorRowsTest, ADenseSliceIsCopiedAsItIs) {
  const std::vector<float> values = test::random_floats(3, 6 * 10);
  const GgufFile gguf = file(GgufBuilder().add_tensor("w", {10, 6}, kF32, bytes_of(values)));
  std::vector<float> part(2 * 3);
  read_dense(gguf, *gguf.find("w"), {{4, 6}, {7, 10}},
             std::as_writable_bytes(std::span(part)).data());
  EXPECT_EQ(part, (std::vector<float>{values[47], values[48], values[49], values[57], values[58],
                                      values[59]}));
  std::vector<float> rows(2 * 10);
  read_dense(gguf, *gguf.find("w"), {{1, 3}, {0, 10}},
             std::as_writable_bytes(std::span(rows)).data());
  EXPECT_EQ(rows, std::vector<float>(values.begin() + 10, values.begin() + 30));
}

TEST_F(TensorRowsTest, AnEmptySliceReadsNothing) {
  const GgufFile gguf = file(GgufBuilder()
                                 .add_tensor("w", {32, 4}, kQ4_1, std::string(80, 'w'))
                                 .add_tensor("v", {4}, kF32, std::string(16, 'v')));
  const int64_t before = gguf.bytes_read();
  GroupedRows part;
  read_grouped(gguf, *gguf.find("w"), {{4, 4}, {0, 32}}, part);
  EXPECT_EQ(part.rows, 0);
  read_grouped(gguf, *gguf.find("w"), {{0, 4}, {32, 32}}, part);
  EXPECT_EQ(part.cols, 0);
  read_dense(gguf, *gguf.find("v"), {{0, 1}, {2, 2}}, nullptr);
  EXPECT_EQ(gguf.bytes_read(), before);
}

TEST_F(TensorRowsTest, DenseTypesBecomeFloats) {
  const GgufFile golden(std::string(COLONNADE_TEST_DATA) + "/ggml_blocks.gguf");
  for (const char* type : {"F16", "BF16"}) {
    const std::vector<float> actual = read_f32(golden, *golden.find(std::string(type) + ".blocks"));
    const std::vector<float> expected =
        read_f32(golden, *golden.find(std::string(type) + ".values"));
    ASSERT_EQ(actual.size(), 128U);
    EXPECT_TRUE(test::same_bits(actual, expected)) << type;
  }
}

TEST_F(TensorRowsTest, ASliceOutsideTheTensorOrOfTheWrongKindIsNamed) {
  const GgufFile gguf = file(GgufBuilder()
                                 .add_tensor("w", {32, 4}, kQ4_1, std::string(80, 'w'))
                                 .add_tensor("v", {4}, kF32, std::string(16, 'v')));
  const auto error_of = [&](const char* name, Slice slice, bool grouped) -> std::string {
    try {
      GroupedRows rows;
      std::vector<std::byte> bytes(1024);
      if (grouped) read_grouped(gguf, *gguf.find(name), slice, rows);
      if (!grouped) read_dense(gguf, *gguf.find(name), slice, bytes.data());
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_of("w", {{0, 5}, {0, 32}}, true),
              HasSubstr("tensor 'w': expected a slice of [4, 32], got rows 0 to 5"));
  EXPECT_THAT(error_of("w", {{0, 4}, {-1, 32}}, true), HasSubstr("columns -1 to 32"));
  EXPECT_THAT(error_of("w", {{3, 2}, {0, 32}}, true), HasSubstr("rows 3 to 2"));
  EXPECT_THAT(error_of("w", {{0, 4}, {0, 32}}, false),
              HasSubstr("expected a dense type, got Q4_1"));
  EXPECT_THAT(error_of("v", {{0, 1}, {0, 4}}, true), HasSubstr("expected a grouped type, got F32"));
}

}  // namespace
}  // namespace colonnade
