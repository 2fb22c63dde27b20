#include "colonnade/io/transposed_rows.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

/// Of one stripe. Parts of the file's rows then have 256 bytes or more up to K = 16384, so that a
/// read costs more than its call.
constexpr int64_t kStripeBytes = 4 << 20;
/// Rows that a panel wants are never cut.
constexpr int64_t kStripeUnit = 64;
/// Rows of the file that are turned at a time: a square of them stays in the first-level cache.
constexpr int64_t kTurned = 32;

template <typename T>
void turn(const T* from, int64_t from_stride, Range rows, int64_t count, T* to, int64_t to_stride) {
  for (int64_t r = rows.begin; r < rows.end; ++r) {
    for (int64_t i = 0; i < count; ++i) to[r * to_stride + i] = from[i * from_stride + r];
  }
}

/// to[r][i] = from[i][r] for i < count, r < rows; strides in elements.
template <typename T>
void turn_all(const std::byte* from, int64_t rows, int64_t count, std::byte* to,
              int64_t to_stride) {
  const auto* source = reinterpret_cast<const T*>(from);
  auto* target = reinterpret_cast<T*>(to);
  for (int64_t r = 0; r < rows; r += kTurned) {
    turn(source, rows, {r, std::min(rows, r + kTurned)}, count, target, to_stride);
  }
}

}  // namespace

struct TransposedRows::Stripe {
  std::mutex mutex;
  std::vector<std::byte> data;  // [rows, cols] elements; empty: not read, or forgotten
  int64_t left = 0;             // rows of `data` that nobody has asked for yet
};

TransposedRows::TransposedRows(const TransposedSlice& slice, ReadPart read)
    : slice_(slice), read_(std::move(read)) {
  CN_ASSERT(slice.element_bytes == 2 || slice.element_bytes == 4, slice.element_bytes);
  const int64_t row_bytes = std::max<int64_t>(1, slice.cols.size() * slice.element_bytes);
  stripe_rows_ = std::max<int64_t>(1, kStripeBytes / row_bytes / kStripeUnit) * kStripeUnit;
  stripes_ = std::make_unique<Stripe[]>(
      static_cast<size_t>((slice.rows + stripe_rows_ - 1) / stripe_rows_));
}

TransposedRows::~TransposedRows() = default;

void TransposedRows::fill(Stripe& stripe, Range rows) const {
  const int64_t width = slice_.cols.size();
  std::vector<std::byte> data(static_cast<size_t>(rows.size() * width * slice_.element_bytes));
  const int64_t part_bytes = rows.size() * slice_.element_bytes;
  std::vector<std::byte> parts(static_cast<size_t>(kTurned * part_bytes));
  for (int64_t at = 0; at < width; at += kTurned) {
    const int64_t count = std::min(kTurned, width - at);
    for (int64_t i = 0; i < count; ++i) {
      read_(slice_.cols.begin + at + i, rows, parts.data() + i * part_bytes);
    }
    std::byte* to = data.data() + at * slice_.element_bytes;
    if (slice_.element_bytes == 4) {
      turn_all<uint32_t>(parts.data(), rows.size(), count, to, width);
    } else {
      turn_all<uint16_t>(parts.data(), rows.size(), count, to, width);
    }
  }
  stripe.data = std::move(data);
  stripe.left = rows.size();
}

void TransposedRows::read(Range rows, std::byte* out) {
  const int64_t row_bytes = slice_.cols.size() * slice_.element_bytes;
  if (row_bytes == 0) return;
  for (int64_t row = rows.begin; row < rows.end;) {
    const int64_t number = row / stripe_rows_;
    const Range all{number * stripe_rows_, std::min(slice_.rows, (number + 1) * stripe_rows_)};
    const int64_t count = std::min(rows.end, all.end) - row;
    Stripe& stripe = stripes_[static_cast<size_t>(number)];
    const std::scoped_lock lock(stripe.mutex);
    if (stripe.data.empty()) fill(stripe, all);
    std::memcpy(out, stripe.data.data() + (row - all.begin) * row_bytes,
                static_cast<size_t>(count * row_bytes));
    stripe.left -= count;
    if (stripe.left <= 0) std::vector<std::byte>().swap(stripe.data);
    out += count * row_bytes;
    row += count;
  }
}

}  // namespace colonnade
