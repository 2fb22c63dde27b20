// Slices of a GGUF tensor: rows by columns, reading nothing but the blocks that hold them.
#pragma once

#include <cstddef>
#include <vector>

#include "colonnade/base/range.h"
#include "colonnade/io/gguf.h"
#include "colonnade/tensor/grouped_rows.h"

namespace colonnade {

/// Rows and columns of a tensor, both counted from 0 of the whole.
struct Slice {
  Range rows;
  Range cols;
};

/// All functions throw Error, naming the tensor, if the slice leaves it or the type is of the other
/// kind, and as File does. Any number of threads may call them at once.

/// A grouped tensor's slice in canonical form; out.begin is slice.cols.begin. Codes are left as
/// they are where out.takes_raw and the type allow it.
void read_grouped(const GgufFile& file, const GgufTensor& tensor, const Slice& slice,
                  GroupedRows& out);

/// A dense tensor's slice as it lies in the file: slice.rows.size() * slice.cols.size() elements of
/// its type, row-major.
void read_dense(const GgufFile& file, const GgufTensor& tensor, const Slice& slice, std::byte* out);

/// A whole dense tensor as f32, row-major: norms and biases.
std::vector<float> read_f32(const GgufFile& file, const GgufTensor& tensor);

}  // namespace colonnade
