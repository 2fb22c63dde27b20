#include "colonnade/text/utf8.h"

#include <cstring>

namespace colonnade::text {
namespace {

uint8_t byte_at(std::string_view s, size_t i) { return static_cast<uint8_t>(s[i]); }

// Length by first byte, and the range of the second byte, which is narrower than 80..BF for some
// first bytes: it keeps out overlong forms, surrogates and what lies above U+10FFFF.
struct Lead {
  int length;
  uint8_t second_min;
  uint8_t second_max;
};

Lead lead_of(uint8_t b) {
  if (b < 0x80) return {1, 0, 0};
  if (b < 0xC2) return {0, 0, 0};
  if (b < 0xE0) return {2, 0x80, 0xBF};
  if (b == 0xE0) return {3, 0xA0, 0xBF};
  if (b == 0xED) return {3, 0x80, 0x9F};
  if (b < 0xF0) return {3, 0x80, 0xBF};
  if (b == 0xF0) return {4, 0x90, 0xBF};
  if (b < 0xF4) return {4, 0x80, 0xBF};
  if (b == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

bool eight_ascii(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return (word & 0x8080808080808080u) == 0;
}

}  // namespace

Utf8Step utf8_step(std::string_view bytes) noexcept {
  const Lead lead = lead_of(byte_at(bytes, 0));
  if (lead.length == 0) return {Utf8Step::Kind::invalid, 1};
  for (int i = 1; i < lead.length; ++i) {
    if (static_cast<size_t>(i) == bytes.size()) return {Utf8Step::Kind::incomplete, i};
    const uint8_t b = byte_at(bytes, static_cast<size_t>(i));
    const bool good = i == 1 ? b >= lead.second_min && b <= lead.second_max : (b & 0xC0) == 0x80;
    if (!good) return {Utf8Step::Kind::invalid, i};
  }
  return {Utf8Step::Kind::character, lead.length};
}

int64_t first_invalid_utf8(std::string_view text) noexcept {
  size_t i = 0;
  while (i < text.size()) {
    if (i + 8 <= text.size() && eight_ascii(text.data() + i)) {
      i += 8;
      continue;
    }
    const Utf8Step step = utf8_step(text.substr(i));
    if (step.kind != Utf8Step::Kind::character) return static_cast<int64_t>(i);
    i += static_cast<size_t>(step.length);
  }
  return -1;
}

char32_t next_code_point(std::string_view text, size_t* pos) noexcept {
  const size_t i = *pos;
  const char32_t b = byte_at(text, i);
  const auto tail = [&](size_t k) -> char32_t { return byte_at(text, i + k) & 0x3Fu; };
  if (b < 0x80) {
    *pos = i + 1;
    return b;
  }
  if (b < 0xE0) {
    *pos = i + 2;
    return (b & 0x1F) << 6 | tail(1);
  }
  if (b < 0xF0) {
    *pos = i + 3;
    return (b & 0x0F) << 12 | tail(1) << 6 | tail(2);
  }
  *pos = i + 4;
  return (b & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
}

void append_utf8(std::string* out, char32_t c) {
  const auto put = [&](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | c >> 6);
    put(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
    put(0x80 | (c & 0x3F));
  }
}

}  // namespace colonnade::text
