#include "colonnade/io/code_bits.h"

#include <cstring>

#include "colonnade/base/error.h"

namespace colonnade {
namespace {

constexpr int64_t kAtOnce = 8;  // codes of whole bytes, whatever the bits, and of one 64-bit word

constexpr uint64_t ones(int bits) { return (uint64_t{1} << bits) - 1; }

/// Eight codes that stand together become eight bytes: halves, then pairs, then single codes are
/// moved apart. Nothing may stand above them.
template <int kBits>
uint64_t spread(uint64_t codes) {
  constexpr uint64_t kPairs = ones(2 * kBits) * 0x0000000100000001u;
  constexpr uint64_t kSingles = ones(kBits) * 0x0001000100010001u;
  codes = (codes & ones(4 * kBits)) | codes >> (4 * kBits) << 32;
  codes = (codes & kPairs) | (codes >> (2 * kBits) & kPairs) << 16;
  return (codes & kSingles) | (codes >> kBits & kSingles) << 8;
}

/// Bytes of the stream hold 8 / kBits codes, or some begin in one and end in the next.
uint8_t code_at(int bits, const uint8_t* stream, int64_t index) {
  const int64_t bit = index * bits;
  const int shift = static_cast<int>(bit % 8);
  unsigned word = stream[bit / 8];
  if (shift + bits > 8) word |= static_cast<unsigned>(stream[bit / 8 + 1]) << 8;
  return static_cast<uint8_t>(word >> shift & ones(bits));
}

template <int kBits>
void unpack(const uint8_t* stream, int64_t first, int64_t count, uint8_t* out) {
  int64_t i = 0;
  for (; i < count && (first + i) % kAtOnce != 0; ++i) out[i] = code_at(kBits, stream, first + i);
  for (; i + kAtOnce <= count; i += kAtOnce) {
    uint64_t codes = 0;
    std::memcpy(&codes, stream + (first + i) / kAtOnce * kBits, kBits);  // little-endian
    codes = spread<kBits>(codes);
    std::memcpy(out + i, &codes, sizeof codes);
  }
  for (; i < count; ++i) out[i] = code_at(kBits, stream, first + i);
}

}  // namespace

void unpack_codes(int bits, const std::byte* stream, int64_t first, int64_t count, uint8_t* out) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(stream);
  switch (bits) {
    case 2:
      return unpack<2>(bytes, first, count, out);
    case 3:
      return unpack<3>(bytes, first, count, out);
    case 4:
      return unpack<4>(bytes, first, count, out);
    case 5:
      return unpack<5>(bytes, first, count, out);
    case 6:
      return unpack<6>(bytes, first, count, out);
    case 8:
      return unpack<8>(bytes, first, count, out);
    default:
      CN_ASSERT(false, "unpack_codes: ", bits, " bits");
  }
}

}  // namespace colonnade
