// Rows of a matrix that a file holds transposed: GPT-2's Conv1D.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "colonnade/base/range.h"

namespace colonnade {

/// What is wanted of it, in the model's terms.
struct TransposedSlice {
  int64_t rows = 0;           // columns of the file
  Range cols;                 // rows of the file
  int64_t element_bytes = 0;  // 2 or 4
};

/// One row would be one element of each of the file's rows. So rows are made many at a time, a
/// stripe of the file's columns: whoever needs a stripe first reads it, and it is forgotten when
/// all of its rows have been handed out. Any number of threads may read at once; each that goes
/// through rows in order keeps one stripe of about 4 MiB alive.
class TransposedRows {
 public:
  /// Bytes of the elements `rows` (of the slice) in a row of the file, in their order.
  using ReadPart = std::function<void(int64_t file_row, Range rows, std::byte* out)>;

  TransposedRows(const TransposedSlice& slice, ReadPart read);
  ~TransposedRows();
  TransposedRows(const TransposedRows&) = delete;
  TransposedRows& operator=(const TransposedRows&) = delete;

  /// out [rows.size(), cols.size()] elements
  void read(Range rows, std::byte* out);

  int64_t rows_per_stripe() const { return stripe_rows_; }

 private:
  struct Stripe;
  using Buffer = std::unique_ptr<std::byte[]>;

  Buffer take_buffer();
  void fill(Stripe& stripe, Range rows);
  void forget(Stripe& stripe);

  const TransposedSlice slice_;
  const ReadPart read_;
  int64_t stripe_rows_;
  std::unique_ptr<Stripe[]> stripes_;
  std::mutex spare_mutex_;
  std::vector<Buffer> spare_;  // of stripes that were forgotten
};

}  // namespace colonnade
