// A half-open range of rows, columns, heads, layers or positions.
#pragma once

#include <cstdint>

namespace colonnade {

/// [begin, end), begin <= end. Always inlined: the ISA objects use it too and must not emit a copy
/// of it.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;

  [[gnu::always_inline]] constexpr int64_t size() const { return end - begin; }
  [[gnu::always_inline]] constexpr bool empty() const { return begin == end; }
  [[gnu::always_inline]] constexpr bool contains(int64_t index) const {
    return begin <= index && index < end;
  }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

}  // namespace colonnade
