// Data for tests that is the same on every machine and in every standard library.
#pragma once

#include <cstdint>
#include <vector>

namespace colonnade::test {

/// A stream of 64-bit numbers. Source: Steele, Lea & Flood 2014, "Fast splittable pseudorandom
/// number generators".
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t bits();
  /// Uniform in [low, high).
  float uniform(float low, float high);
  /// Uniform in [low, high], both included.
  int64_t integer(int64_t low, int64_t high);

 private:
  uint64_t state_;
};

/// `count` numbers, uniform in [-scale, scale).
std::vector<float> random_floats(uint64_t seed, int64_t count, float scale = 1.0f);

}  // namespace colonnade::test
