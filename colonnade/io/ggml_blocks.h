// The blocks of GGUF's grouped types, taken apart into GroupedRows.
// Source: the block structures of ggml-common.h and dequantize_row_* of ggml-quants.c (layouts, not
// code).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "colonnade/base/range.h"
#include "colonnade/io/ggml_type.h"
#include "colonnade/tensor/grouped_rows.h"

namespace colonnade {

/// The format that a weight of this type has in memory.
WeightFormat weight_format(GgmlType type);
/// The type of a dense format; nothing of others.
std::optional<GgmlType> dense_ggml_type(WeightFormat format);

/// Blocks that hold the columns `cols` of a row.
Range blocks_of(GgmlType type, Range cols);

/// Takes rows of a grouped type apart into the rows `rows` of `out`, which has been reshaped: its
/// format, begin and cols say what is wanted. The data is not judged: any bytes are legal blocks.
///   raw  [rows.size(), blocks_of(type, {out.begin, out.begin + out.cols}).size() * block_bytes]
void decode_rows(GgmlType type, const std::byte* raw, Range rows, GroupedRows& out);

/// Whether a packer can take the codes of these columns as they are: the type's order is one of
/// CodeOrder, and they begin with a block.
bool has_raw_codes(GgmlType type, Range cols);

/// Takes apart all but the codes of the blocks in out.raw_bytes, which are those of all rows of
/// `out`, and lets out.raw show the codes. For types and columns of has_raw_codes().
void decode_around_codes(GgmlType type, GroupedRows& out);

}  // namespace colonnade
