// The floating-point modes that the law of bits needs.
#pragma once

#include <cstdint>

namespace colonnade {

/// While it lives, this thread rounds to nearest, keeps denormals (no flush-to-zero, no
/// denormals-are-zero) and traps nothing. The destructor restores what was found, on the same
/// thread. Every entry of the library and every pool thread holds one.
class FloatEnvironment {
 public:
  FloatEnvironment() noexcept;
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  uint64_t saved_;  // the control register
};

}  // namespace colonnade
