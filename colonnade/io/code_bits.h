// Codes of a few bits, as MLX packs them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace colonnade {

/// Codes [first, first + count) of a little-endian stream of bits, code i at bits [i bits, (i + 1)
/// bits): one byte each into `out`. `bits` is 2, 3, 4, 5, 6 or 8. No byte behind the last code's is
/// read.
void unpack_codes(int bits, const std::byte* stream, int64_t first, int64_t count, uint8_t* out);

}  // namespace colonnade
