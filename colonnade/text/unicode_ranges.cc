#include "colonnade/text/unicode_ranges.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace colonnade::text {
namespace {

struct FlagRange {
  char32_t first;
  char32_t last;
  uint8_t flags;
};

constexpr FlagRange kRanges[] = {
#include "colonnade/text/unicode_ranges.inc"
};

uint8_t look_up(char32_t c) {
  const auto* range = std::lower_bound(std::begin(kRanges), std::end(kRanges), c,
                                       [](const FlagRange& r, char32_t x) { return r.last < x; });
  return range != std::end(kRanges) && range->first <= c ? range->flags : 0;
}

// Scripts in daily use lie below U+3400; the letters of Han and Hangul are two long ranges above.
constexpr char32_t kTableEnd = 0x3400;

const std::array<uint8_t, kTableEnd>& low_table() {
  static const std::array<uint8_t, kTableEnd> table = [] {
    std::array<uint8_t, kTableEnd> t{};
    for (char32_t c = 0; c < kTableEnd; ++c) t[c] = look_up(c);
    return t;
  }();
  return table;
}

}  // namespace

uint8_t character_flags(char32_t c) noexcept { return c < kTableEnd ? low_table()[c] : look_up(c); }

}  // namespace colonnade::text
