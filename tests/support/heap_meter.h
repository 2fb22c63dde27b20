// Counts what the program takes from the heap. Including this replaces operator new in the test
// binary.
#pragma once

#include <cstdint>

namespace colonnade::test {

/// Counts allocations of all threads, made with operator new, from its construction on. One at a
/// time.
class HeapMeter {
 public:
  HeapMeter();
  ~HeapMeter();
  HeapMeter(const HeapMeter&) = delete;
  HeapMeter& operator=(const HeapMeter&) = delete;

  /// How often memory was asked for.
  int64_t allocations() const;
  /// The largest single request.
  int64_t largest_bytes() const;
  /// The most that was held at once, beyond what was held at the construction.
  int64_t peak_bytes() const;
};

}  // namespace colonnade::test
