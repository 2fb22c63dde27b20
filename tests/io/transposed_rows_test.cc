#include "colonnade/io/transposed_rows.h"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/heap_meter.h"
#include <gtest/gtest.h>

namespace colonnade {
namespace {

/// Element (row, col) of the matrix, which the file holds as (col, row).
template <typename T>
T element(int64_t row, int64_t col) {
  return static_cast<T>(row * 7919 + col);
}

/// A matrix whose file is made up as it is read, and counts what is asked of it.
template <typename T>
struct MadeUp {
  explicit MadeUp(TransposedSlice slice)
      : rows(slice, [this](int64_t file_row, Range part, std::byte* out) {
          bytes_read += part.size() * static_cast<int64_t>(sizeof(T));
          for (int64_t r = part.begin; r < part.end; ++r, out += sizeof(T)) {
            const T value = element<T>(r, file_row);
            std::memcpy(out, &value, sizeof(T));
          }
        }) {}

  std::atomic<int64_t> bytes_read{0};
  TransposedRows rows;
};

template <typename T>
void expect_rows(TransposedRows& rows, Range part, Range cols) {
  std::vector<T> out(static_cast<size_t>(part.size() * cols.size()));
  rows.read(part, reinterpret_cast<std::byte*>(out.data()));
  size_t i = 0;
  for (int64_t r = part.begin; r < part.end; ++r) {
    for (int64_t c = cols.begin; c < cols.end; ++c, ++i) {
      ASSERT_EQ(out[i], element<T>(r, c)) << r << ", " << c;
    }
  }
}

TEST(TransposedRows, AreTheColumnsOfTheFile) {
  for (const int64_t count : {1, 7, 100}) {
    MadeUp<uint32_t> wide({count, {5, 75}, 4});
    expect_rows<uint32_t>(wide.rows, {0, count}, {5, 75});
    MadeUp<uint16_t> narrow({count, {0, 33}, 2});
    expect_rows<uint16_t>(narrow.rows, {count / 2, count}, {0, 33});
  }
}

TEST(TransposedRows, AreReadOnceHoweverTheyAreAskedFor) {
  constexpr Range kCols{0, 1000};
  MadeUp<uint32_t> made({5000, kCols, 4});
  ASSERT_LT(made.rows.rows_per_stripe() * 3, 5000);
  for (int64_t row = 0; row < 5000; row += 48) {
    expect_rows<uint32_t>(made.rows, {row, std::min<int64_t>(5000, row + 48)}, kCols);
  }
  EXPECT_EQ(made.bytes_read, 5000 * 1000 * 4);
  expect_rows<uint32_t>(made.rows, {17, 18}, kCols);  // forgotten, so read again
  EXPECT_GT(made.bytes_read, 5000 * 1000 * 4);
}

TEST(TransposedRows, KeepOneStripeAlive) {
  MadeUp<uint32_t> made({20'000, {0, 1000}, 4});
  std::vector<std::byte> out(16 * 1000 * 4);
  const test::HeapMeter meter;
  for (int64_t row = 0; row < 20'000; row += 16) made.rows.read({row, row + 16}, out.data());
  EXPECT_LT(meter.peak_bytes(), 6 << 20);
}

TEST(TransposedRows, AnyNumberOfThreadsMayRead) {
  constexpr int64_t kRows = 4000;
  constexpr Range kCols{0, 1024};
  MadeUp<uint16_t> made({kRows, kCols, 2});
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&made, t, kCols] {
      for (int64_t row = t * kRows / 4; row < (t + 1) * kRows / 4; row += 40) {
        expect_rows<uint16_t>(made.rows, {row, row + 40}, kCols);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made.bytes_read, kRows * kCols.size() * 2);
}

TEST(TransposedRows, AReadThatFailsIsTriedAgain) {
  bool broken = true;
  TransposedRows rows({2, {0, 1}, 4}, [&](int64_t, Range part, std::byte* out) {
    if (broken) throw std::runtime_error("broken");
    std::memset(out, 7, static_cast<size_t>(part.size() * 4));
  });
  uint32_t out[2] = {};
  EXPECT_THROW(rows.read({0, 2}, reinterpret_cast<std::byte*>(out)), std::runtime_error);
  broken = false;
  rows.read({0, 2}, reinterpret_cast<std::byte*>(out));
  EXPECT_EQ(out[1], 0x07070707U);
}

TEST(TransposedRows, AnEmptySliceReadsNothing) {
  MadeUp<uint32_t> made({4, {2, 2}, 4});
  made.rows.read({0, 4}, nullptr);
  MadeUp<uint32_t> none({0, {0, 4}, 4});
  none.rows.read({0, 0}, nullptr);
  EXPECT_EQ(made.bytes_read + none.bytes_read, 0);
}

}  // namespace
}  // namespace colonnade
