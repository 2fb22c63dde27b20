#include "colonnade/text/byte_alphabet.h"

#include <array>
#include <cstdint>

#include "colonnade/text/utf8.h"

namespace colonnade::text {
namespace {

constexpr char32_t kEnd = 0x144;

bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// Code point -> byte, or -1.
const std::array<int16_t, kEnd>& alphabet() {
  static const std::array<int16_t, kEnd> table = [] {
    std::array<int16_t, kEnd> t;
    t.fill(-1);
    size_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      t[stands_for_itself(byte) ? static_cast<size_t>(byte) : next++] = static_cast<int16_t>(byte);
    }
    return t;
  }();
  return table;
}

}  // namespace

bool append_bytes_of_spelling(std::string_view piece, std::string* bytes) {
  const size_t before = bytes->size();
  for (size_t pos = 0; pos < piece.size();) {
    const char32_t c = next_code_point(piece, &pos);
    if (c >= kEnd || alphabet()[c] < 0) {
      bytes->resize(before);
      return false;
    }
    bytes->push_back(static_cast<char>(alphabet()[c]));
  }
  return true;
}

}  // namespace colonnade::text
