#include "colonnade/io/transposed_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "colonnade/base/error.h"
#include "colonnade/base/turn_square.h"

namespace colonnade {
namespace {

/// Of one stripe. Parts of the file's rows then have 256 bytes or more up to K = 16384, so that a
/// read costs more than its call.
constexpr int64_t kStripeBytes = 4 << 20;
/// Rows that a panel wants are never cut.
constexpr int64_t kStripeUnit = 64;
/// Rows of the file that are turned at a time: a square of them stays in the first-level cache.
constexpr int64_t kTurned = 32;

/// to[r][i] = from[i][r] for i < count and the rows r.
template <typename T>
void turn(const T* from, int64_t from_stride, Range rows, int64_t count, T* to, int64_t to_stride) {
  constexpr int64_t kSide = kSquareSide<T>;
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  const int64_t whole_rows = rows.size() / kSide * kSide + rows.begin;
  const int64_t whole = count / kSide * kSide;
  for (int64_t r = rows.begin; r < whole_rows; r += kSide) {
    for (int64_t i = 0; i < whole; i += kSide) {
      turn_square<T>(from + i * from_stride + r, from_stride * kBytes, to + r * to_stride + i,
                     to_stride * kBytes);
    }
  }
  for (int64_t r = rows.begin; r < rows.end; ++r) {
    for (int64_t i = r < whole_rows ? whole : 0; i < count; ++i) {
      to[r * to_stride + i] = from[i * from_stride + r];
    }
  }
}

/// Parts of the file's rows that wait to be turned. The stride is no power of two: their elements
/// of one column would all want the same few places of the first-level cache.
struct Parts {
  std::vector<std::byte> data;
  int64_t stride_bytes;

  explicit Parts(int64_t part_bytes) : stride_bytes((part_bytes + 63) / 64 * 64 + 64) {
    data.resize(static_cast<size_t>(kTurned * stride_bytes));
  }
  std::byte* part(int64_t i) { return data.data() + i * stride_bytes; }

  /// to[r][i] = part(i)[r] for i < count, r < rows; to_stride in elements.
  template <typename T>
  void turn_all(int64_t rows, int64_t count, std::byte* to, int64_t to_stride) const {
    const auto* source = reinterpret_cast<const T*>(data.data());
    const int64_t stride = stride_bytes / static_cast<int64_t>(sizeof(T));
    for (int64_t r = 0; r < rows; r += kTurned) {
      turn(source, stride, {r, std::min(rows, r + kTurned)}, count, reinterpret_cast<T*>(to),
           to_stride);
    }
  }
};

}  // namespace

struct TransposedRows::Stripe {
  std::mutex mutex;
  Buffer data;       // [rows, cols] elements; nullptr: not read, or forgotten
  int64_t left = 0;  // rows of `data` that nobody has asked for yet
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

/// One that is no longer needed, else a new one: memory that the system has just made costs as much
/// again as what is read into it.
TransposedRows::Buffer TransposedRows::take_buffer() {
  const std::scoped_lock lock(spare_mutex_);
  if (spare_.empty()) {
    const int64_t bytes = stripe_rows_ * slice_.cols.size() * slice_.element_bytes;
    return std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(bytes));
  }
  Buffer buffer = std::move(spare_.back());
  spare_.pop_back();
  return buffer;
}

void TransposedRows::fill(Stripe& stripe, Range rows) {
  const int64_t width = slice_.cols.size();
  Buffer data = take_buffer();
  Parts parts(rows.size() * slice_.element_bytes);
  for (int64_t at = 0; at < width; at += kTurned) {
    const int64_t count = std::min(kTurned, width - at);
    for (int64_t i = 0; i < count; ++i) read_(slice_.cols.begin + at + i, rows, parts.part(i));
    std::byte* to = data.get() + at * slice_.element_bytes;
    if (slice_.element_bytes == 4) {
      parts.turn_all<uint32_t>(rows.size(), count, to, width);
    } else {
      parts.turn_all<uint16_t>(rows.size(), count, to, width);
    }
  }
  stripe.data = std::move(data);
  stripe.left = rows.size();
}

void TransposedRows::forget(Stripe& stripe) {
  const std::scoped_lock lock(spare_mutex_);
  spare_.push_back(std::move(stripe.data));
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
    if (stripe.data == nullptr) fill(stripe, all);
    std::memcpy(out, stripe.data.get() + (row - all.begin) * row_bytes,
                static_cast<size_t>(count * row_bytes));
    stripe.left -= count;
    if (stripe.left <= 0) forget(stripe);
    out += count * row_bytes;
    row += count;
  }
}

}  // namespace colonnade
