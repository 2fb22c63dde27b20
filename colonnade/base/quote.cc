#include "colonnade/base/quote.h"

namespace colonnade {

std::string quote(std::string_view text) {
  constexpr size_t kLongest = 80;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\\' && c != '\'') {
      out += c;
    } else if (c == '\\' || c == '\'') {
      out += '\\';
      out += c;
    } else {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  out += text.size() > kLongest ? "...'" : "'";
  return out;
}

}  // namespace colonnade
